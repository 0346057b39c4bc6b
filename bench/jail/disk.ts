import { statfs } from 'node:fs/promises'
import path from 'node:path'

/** Less than this under an editable path counts as full: tools fail before the last byte is gone. */
export const FULL_BELOW_BYTES = 16 * 1024 * 1024
/** The same for inodes. */
export const FULL_BELOW_FILES = 64

/** The editable paths (relative to the workspace on this machine) whose disk is full; an ordinary user's share counts. */
export async function fullDisks(workspace: string, editable: readonly string[], belowBytes = FULL_BELOW_BYTES) {
  const full: { path: string; freeBytes: number; freeFiles: number | null }[] = []
  for (const name of editable) {
    const disk = await statfs(path.join(workspace, name))
    const freeBytes = disk.bavail * disk.bsize
    // btrfs and others count no inodes: both figures are 0 there.
    const freeFiles = disk.files > 0 ? disk.ffree : null
    if (freeBytes < belowBytes || (freeFiles !== null && freeFiles < FULL_BELOW_FILES)) {
      full.push({ path: name, freeBytes, freeFiles })
    }
  }
  return full
}
