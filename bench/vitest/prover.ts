import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { z } from 'zod'
import { ISOLATED } from '../jail/python.ts'
import { FIXTURES_GEN } from '../paths.ts'

const AnswerSchema = z.object({ name: z.string(), problems: z.array(z.string()) })

interface Asked {
  resolve(problems: string[]): void
  reject(error: Error): void
}

/** One `prove.py serve` for all cases of a task: to start Python anew for each takes as long as many a case. */
export class Prover {
  readonly #process
  readonly #asked = new Map<string, Asked>()

  /** `python` is an interpreter, `folder` a task's. Whoever makes a prover ends it. */
  constructor(python: string, folder: string, scale: string) {
    const args = [...ISOLATED, join(FIXTURES_GEN, 'prove.py'), folder, 'serve', '--scale', scale]
    this.#process = execa(python, args, { reject: false, stdin: 'pipe', buffer: { stdout: false } })
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      const { name, problems } = AnswerSchema.parse(JSON.parse(line))
      this.#asked.get(name)?.resolve(problems)
      this.#asked.delete(name)
    })
    this.#process.then(({ exitCode, stderr }) => {
      for (const [name, asked] of this.#asked)
        asked.reject(new Error(`prove.py ended with ${exitCode} before it answered ${JSON.stringify(name)}: ${stderr}`))
    })
  }

  /** Runs a case. Resolves with what was not as stated, nothing when it holds; rejects when prove.py ends first. */
  run(name: string): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.#asked.set(name, { resolve, reject })
      this.#process.stdin.write(`${name}\n`)
    })
  }

  /** Resolves when the process has ended. */
  async end(): Promise<void> {
    this.#process.stdin.end()
    await this.#process
  }
}
