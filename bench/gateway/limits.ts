/** Bounds of a gateway. Each has a test that shrinks and hits it. */
export interface GatewayLimits {
  /** Longest request body; beyond it the agent gets 413. */
  requestBytes: number
  /** Time for a client to send its request line and headers. */
  headersMs: number
  /** Time for a client to send its whole request. */
  requestMs: number
  /** Time without a byte from the provider; agents give up earlier (OpenAI's clients after 600 s). */
  idleMs: number
  /** Calls in flight at the same time; beyond it the agent gets 429. */
  concurrentCalls: number
  /** Open connections; beyond it new ones are closed. */
  connections: number
  /** Part of an answer that is kept for reading its usage. */
  answerCopyBytes: number
  /** Part of a provider's error body that the agent gets. */
  errorBytes: number
  /** Part of an error text that a model call keeps. */
  errorChars: number
}

export const GATEWAY_LIMITS: GatewayLimits = {
  requestBytes: 32 * 1024 * 1024,
  headersMs: 30_000,
  requestMs: 120_000,
  idleMs: 660_000,
  concurrentCalls: 16,
  connections: 128,
  answerCopyBytes: 32 * 1024 * 1024,
  errorBytes: 64 * 1024,
  errorChars: 600,
}

/** Longest path of a unix socket on Linux (sockaddr_un.sun_path without its final NUL). */
export const SOCKET_PATH_BYTES = 107

/** How long an idle connection of an agent stays open: longer than clients keep theirs, so that none is cut while it is reused. */
export const KEEP_ALIVE_MS = 75_000
