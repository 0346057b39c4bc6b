/** An error that says it all: printers would show a stack of the bench below it, which hides what the user can act on. */
export class StacklessError extends Error {
  constructor(message: string) {
    super(message)
    this.stack = message
  }
}

/** `problems` as a list below `heading`. */
export const listed = (heading: string, problems: string[]): string =>
  [heading, ...problems.map((problem) => `  - ${problem.replaceAll('\n', '\n    ')}`)].join('\n')
