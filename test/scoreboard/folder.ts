/** Folders for the time of a call. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Calls a function with a folder that has files of the given contents, and removes the folder. */
export async function withFiles<Result>(
  contents: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'propylon-scoreboard-'))
  try {
    for (const [name, content] of Object.entries(contents)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
