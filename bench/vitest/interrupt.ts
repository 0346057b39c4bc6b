import type { Plugin } from 'vitest/config'
import type { Vitest } from 'vitest/node'

const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Ctrl-C, or a SIGTERM from CI, cancels the run instead of cutting it: attempts end their jails and complete their records,
 * reporters write what there is. A second signal ends the process at once (the jails die with it).
 */
export function gracefulInterrupt(): Plugin {
  return {
    name: 'rw30:graceful-interrupt',
    configureVitest({ vitest }) {
      for (const [signal, code] of Object.entries(SIGNALS)) takeOver(vitest, signal as NodeJS.Signals, code)
    },
  }
}

const taken = new Set<string>()

/** vitest's own handlers exit a millisecond after the signal; ours takes their place when the first test run begins. */
function takeOver(vitest: Vitest, signal: NodeJS.Signals, code: number): void {
  if (taken.has(signal)) return
  taken.add(signal)
  process.removeAllListeners(signal)
  let first = true
  process.on(signal, () => {
    if (!first) process.exit(code)
    first = false
    // Failed tests set an exit code of their own on the way out; the signal's stands.
    process.on('exit', () => {
      process.exitCode = code
    })
    vitest.logger.log(`\n${signal}: ending the attempts; once more ends at once`)
    void vitest.cancelCurrentRun('keyboard-input').finally(() => vitest.exit(true))
  })
}

/** For a worker: it lets the main process decide on Ctrl-C, and it ends when that process is gone, so that no jail outlives it. */
export function followMainProcess(): void {
  if (!process.send) return
  process.on('SIGINT', () => {})
  process.on('disconnect', () => process.exit(1))
}
