import { mkdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { JailDefinition } from './definition.ts'

/** The folders and files of this machine that one jail shows. */
export interface Binds {
  /** Shown read-only; its editable folders are writable. */
  workspace: string
  editable: readonly string[]
  /** Shown writable. */
  home: string
  hostPrefix: string | null
  /** Name below the extras folder -> file or folder, read-only. */
  mounts: Readonly<Record<string, string>>
  gatewaySocket: string | null
  services: readonly { id: string; mounts: Readonly<Record<string, string>> }[]
}

/** bwrap's arguments for `binds`. Rejects when a source is missing or an editable path is no plain folder of the workspace. */
export async function bindArguments(binds: Binds, { paths, shell_source }: JailDefinition): Promise<string[]> {
  const readOnly = async (source: string, target: string) => ['--ro-bind', await realpath(source), target]
  const root = await realpath(binds.workspace)
  const args = ['--ro-bind', root, paths.workspace]
  for (const name of binds.editable) {
    const folder = await editableFolder(root, name)
    args.push('--bind', folder, path.posix.join(paths.workspace, path.relative(root, folder)))
  }
  args.push('--bind', await realpath(binds.home), paths.home)
  args.push('--ro-bind', shell_source, paths.shell)
  args.push('--dir', paths.extras)
  if (binds.hostPrefix !== null) args.push(...(await readOnly(binds.hostPrefix, paths.host)))
  for (const [name, source] of Object.entries(binds.mounts)) {
    args.push(...(await readOnly(source, path.posix.join(paths.extras, name))))
  }
  if (binds.gatewaySocket !== null) args.push(...(await readOnly(binds.gatewaySocket, paths.gateway_socket)))
  for (const service of binds.services) {
    for (const [name, source] of Object.entries(service.mounts)) {
      args.push(...(await readOnly(source, path.posix.join(paths.services, service.id, name))))
    }
  }
  return args
}

async function editableFolder(root: string, name: string): Promise<string> {
  const folder = path.resolve(root, name)
  const inside = folder.startsWith(`${root}/`)
  if (inside) await mkdir(folder, { recursive: true })
  if (!inside || (await realpath(folder)) !== folder) {
    throw new Error(`editable path ${JSON.stringify(name)} is no plain folder below ${root}`)
  }
  return folder
}
