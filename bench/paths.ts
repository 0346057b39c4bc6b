import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository, and the folders in it that code (not the user) settles. */
export const REPO = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
export const TASKS_DIR = resolve(REPO, 'tasks')
export const FIXTURES_GEN = resolve(REPO, 'fixtures-gen')

/** Everything that can be made again: fixtures, jail images, hosts. `RW30_CACHE` moves it. */
export const cacheDir = (): string => resolve(process.env.RW30_CACHE || `${REPO}/.cache`)
