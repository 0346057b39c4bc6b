import type { Readable, Writable } from 'node:stream'

/** Where things lie inside the jail, for whoever plans what will run in it. */
export interface JailPaths {
  /** The workspace: the agent's working directory. */
  workspace: string
  /** A private, writable home, empty but for the plan's files. */
  home: string
  /** The host's prefix: node_modules and node. */
  host: string
  /** The restricted shell: `shell -c COMMAND` runs a command with the workspace, Python and tools to look at files, and nothing else. */
  shell: string
  /** Read-only folder in which `LaunchPlan.mounts` appear. */
  extras: string
}

/** The standard streams of a jail's main command, and its end. */
export interface JailProcess {
  stdin: Writable
  stdout: Readable
  /** Resolves when the process is gone, whatever the cause; never rejects. */
  exited: Promise<{ code: number | null; signal: string | null }>
}
