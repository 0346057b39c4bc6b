/** Adds up the time during which at least one of several overlapping things is under way. */
export class ActiveTime {
  private running = 0
  private since = 0
  private sum = 0

  constructor(private readonly now: () => number) {}

  begin(): void {
    if (this.running === 0) this.since = this.now()
    this.running += 1
  }

  end(): void {
    this.running -= 1
    if (this.running === 0) this.sum += this.now() - this.since
  }

  /** Milliseconds up to now. */
  total(): number {
    return this.sum + (this.running > 0 ? this.now() - this.since : 0)
  }
}
