import { expect, test } from 'vitest'
import { resolveConfig } from '../../bench/config.ts'
import { preflight } from '../../bench/vitest/preflight.ts'

const problemsOf = async (user: object, env: NodeJS.ProcessEnv = {}) =>
  (await preflight(resolveConfig(user, {}), env)).problems

test('the shipped arms can run here', async () => {
  const { default: shipped } = await import('../../rw30.config.ts')
  expect(await problemsOf(shipped)).toEqual([])
})

test('everything that cannot work is said at once, and of which arm', async () => {
  const problems = await problemsOf(
    {
      arms: {
        typo: { settings: { tols: ['trim'] } },
        unknown: { agent: 'nobody' },
        absent: { host: 'pi-9.9.9', extensions: ['examples/none/index.ts'] },
      },
      model: {
        provider: 'example',
        id: 'some-model',
        base_url: 'http://127.0.0.1:9/v1',
        api_key_env: 'NO_SUCH_KEY',
        context_window: 200_000,
        max_output_tokens: 32_000,
      },
      budget_usd: 1,
    },
    { RW30_REHEARSAL_FAULTS: 'explode' },
  )
  for (const said of [
    /^arm typo: settings: .*tols/s,
    /^arm unknown: no agent is called nobody; known: pi/,
    /no host is called "pi-9\.9\.9"/,
    /^arm absent: the extension examples\/none\/index\.ts is not there/,
    /^the environment variable NO_SUCH_KEY/,
    /^budget_usd is set, but the model has no price/,
    /explode/,
  ])
    expect(problems).toContainEqual(expect.stringMatching(said))
  expect(problems).toHaveLength(7)
})
