/** The spending limit of a run, shared by its attempts. Start it with the sum of the run's records. */
export class Budget {
  readonly capUsd: number | null
  /** Sum of the known costs, in US dollars. */
  spentUsd: number
  /** Calls whose cost is unknown: the true spending is `spentUsd` or more. */
  unknownCalls: number

  constructor({
    capUsd,
    spentUsd,
    unknownCalls = 0,
  }: { capUsd: number | null; spentUsd: number; unknownCalls?: number }) {
    this.capUsd = capUsd
    this.spentUsd = spentUsd
    this.unknownCalls = unknownCalls
  }

  /** Whether one more attempt may start: below the cap, or without one. */
  admit(): boolean {
    return this.capUsd === null || this.spentUsd < this.capUsd
  }

  /** Adds the cost of a call; null is counted as unknown. */
  charge(costUsd: number | null): void {
    if (costUsd === null) this.unknownCalls += 1
    else this.spentUsd += costUsd
  }
}
