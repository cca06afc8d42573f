/** The project that docs/guides/tutorial.md builds. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pageAt, ROOT } from '../docs/blocks.ts'
import { folderWithPackages, writeBlock } from '../docs/layout.ts'
import { commandsOf } from '../docs/shell.ts'

/**
 * Builds the project from the blocks of the page, and from its commands that write files. Returns its folder, which is removed
 * when the process ends.
 */
export function kitchen(): string {
  const folder = folderWithPackages()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  let cwd = folder
  for (const block of pageAt('docs/guides/tutorial.md').blocks) {
    if (block.file !== undefined) writeBlock(cwd, block)
    for (const { text } of block.kind === 'shell' ? commandsOf(block.code) : []) {
      const to = /^cd (\S+)$/.exec(text)?.[1]
      if (to !== undefined) cwd = join(cwd, to)
      const words = /^(?:npm|npx) (?:propylon )?(create|restcontroller|migrate make) (.*)$/.exec(text)
      if (words !== null) propylon(cwd, `${words[1]} ${words[2]}`.replace(/propylon@latest | --(?= )/g, ''))
    }
  }
  return cwd
}

function propylon(cwd: string, words: string): void {
  const main = join(ROOT, 'src/tools/cli/main.ts')
  execFileSync(process.execPath, ['--conditions=propylon-source', main, ...words.split(' ')], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
