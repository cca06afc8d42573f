/** Folders for the time of a call. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Calls a function with a folder that has files of the given sizes, and removes the folder. */
export async function withFiles<Result>(
  sizes: Readonly<Record<string, number>>,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'propylon-scoreboard-'))
  try {
    for (const [name, size] of Object.entries(sizes)) await writeFile(join(folder, name), 'x'.repeat(size))
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
