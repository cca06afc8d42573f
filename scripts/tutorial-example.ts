/**
 * Makes examples/kitchen: the project that docs/guides/tutorial.md builds, without its package.json and settings.
 *
 *     node --conditions=propylon-source scripts/tutorial-example.ts            writes it
 *     node --conditions=propylon-source scripts/tutorial-example.ts --check    exits with 1 if it differs
 *
 * The files come from the commands and the blocks of the page. test/package/guides.test.ts follows the page word for
 * word, with the packed package, and compares the result as well.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageAt } from '../test/docs/blocks.ts'
import { folderWithPackages, write } from '../test/docs/layout.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** The example in the repository. */
export const EXAMPLE = join(root, 'examples/kitchen')

/**
 * Files that the example leaves out: of the installation, of a check, and the manifest, which would hide that of the
 * repository.
 */
const LEFT_OUT = /^(?:node_modules|var|\.propylon|\.github|\.vscode)\/|^(?:package(?:-lock)?\.json|\.env)$/

/** Returns the files of a project that belong to the example, by their paths. */
export function exampleFiles(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !LEFT_OUT.test(path))
    .sort()
  return new Map(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** Makes the project of the tutorial in a folder. */
function build(folder: string): string {
  const page = pageAt('docs/guides/tutorial.md')
  const propylon = (cwd: string, ...words: string[]) =>
    execFileSync(
      process.execPath,
      ['--conditions=propylon-source', join(root, 'src/tools/cli/main.ts'), ...words],
      {
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
  const [, options = ''] = /^\$ npm create propylon@latest kitchen -- (.*)$/m.exec(page.text) ?? []
  const [, words = ''] = /^\$ npx propylon (restcontroller .*)$/m.exec(page.text) ?? []
  propylon(folder, 'create', 'kitchen', ...options.split(' '))
  const project = join(folder, 'kitchen')
  propylon(project, ...words.split(' '))
  for (const { file, kind, code } of page.blocks) {
    if (file !== undefined && kind !== 'fragment') write(project, file, code)
  }
  return project
}

if (import.meta.main) {
  const folder = folderWithPackages()
  try {
    const files = exampleFiles(build(folder))
    if (process.argv.includes('--check')) {
      const present = exampleFiles(EXAMPLE)
      const paths = new Set([...files.keys(), ...present.keys()])
      for (const path of paths) {
        if (files.get(path) === present.get(path)) continue
        console.error(
          `examples/kitchen/${path} differs from the tutorial. Run node scripts/tutorial-example.ts.`,
        )
        process.exitCode = 1
      }
    } else {
      rmSync(EXAMPLE, { recursive: true, force: true })
      for (const [path, text] of files) write(EXAMPLE, path, text)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
