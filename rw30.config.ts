import { defineConfig } from './bench/config.ts'

export default defineConfig({
  // The arms of a pair: the same agent host with and without a change, or two agents.
  arms: {
    vanilla: { agent: 'pi', host: 'pi-1.6.0' },
    current: { agent: 'pi', host: 'pi-1.6.0', extensions: ['examples/trim-tool-output/index.ts'] },
  },
  comparison: { reference: 'vanilla', candidate: 'current' },

  // 'rehearsal' costs nothing and measures nothing. A provider instead:
  // model: {
  //   provider: 'openai', id: 'gpt-…', base_url: 'https://…/v1', api_key_env: 'OPENAI_API_KEY',
  //   context_window: 400_000, max_output_tokens: 32_000, reasoning: 'medium',
  // },
  model: 'rehearsal',

  retry_failed: 1,
  workers: 1,
})
