/** Lays out the examples of the documentation as programs, and checks the syntax of those that the compiler does not. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { declaresTypes } from '../types/cases.ts'
import type { Programs } from '../types/compiler.ts'
import type { Block, Page } from './blocks.ts'
import { ROOT } from './blocks.ts'
import { folderOf, layOut, write } from './layout.ts'

/** Settings for examples, which may leave names unused. */
const EXAMPLES = { moduleDetection: 'force', noUnusedLocals: false, noUnusedParameters: false }

/** Returns the code blocks of the doc comments of a source. */
function codeBlocks(text: string): string[] {
  const plain = text.replaceAll(/^ *\*(?!\/) ?/gm, '')
  return [...plain.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => (code ?? '').replaceAll('*\\/', '*/'))
}

/** Returns an import of all values that a source exports, for examples of internal functions, which have no import. */
function importsOf(path: string, text: string): string {
  const names = [...text.matchAll(/^export (?:abstract |async )*(?:function\*?|class|const) (\w+)/gm)].map(
    ([, name]) => name,
  )
  return `import { ${names.join(', ')} } from '${join(ROOT, path)}'\n`
}

/** Adds the examples of the doc comments of the sources. Returns the source of each, by the path of the example. */
export function addSources(programs: Programs): Map<string, string> {
  const origins = new Map<string, string>()
  for (const path of globSync('src/**/*.ts', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    for (const [i, code] of codeBlocks(text).entries()) {
      const file = join('sources', `${path.replaceAll(/\W/g, '_')}_${i}.ts`)
      const module = /^import /m.test(code) ? code : importsOf(path, text) + code
      origins.set(write(programs.folder, file, module), path)
    }
  }
  programs.add(['sources/*.ts'], EXAMPLES)
  return origins
}

/**
 * Adds the modules and fragments of pages in TypeScript. Returns the folder of each block.
 *
 * A block that declares types for the whole program (`declare module`), or that imports one, is a program of its own.
 */
export function addPages(programs: Programs, pages: readonly Page[]): Map<Block, string> {
  const root = join(programs.folder, 'pages')
  const folders = new Map<Block, string>()
  const shared: string[] = []
  for (const page of pages) {
    for (const block of fragmentsOf(page).filter(({ language }) => language === 'ts')) {
      layOut(root, page, block)
      const folder = join(root, folderOf(block))
      folders.set(block, folder)
      const files = globSync('**/*.ts', { cwd: folder }).map((file) => join(folder, file))
      if (files.some((file) => declaresTypes(readFileSync(file, 'utf8')))) {
        programs.add(files, EXAMPLES)
      } else shared.push(...files)
    }
  }
  programs.add(shared, EXAMPLES)
  return folders
}

/** Returns the syntax errors of the fragments of a page in JavaScript and sh. */
export function syntaxErrors(root: string, page: Page): string[] {
  return fragmentsOf(page)
    .filter(({ kind, language }) => kind === 'fragment' && language !== 'ts')
    .flatMap((block) => syntaxErrorsOf(layOut(root, page, block), block))
}

function fragmentsOf({ isWalk, blocks }: Page): readonly Block[] {
  return isWalk ? [] : blocks.filter(({ kind }) => kind === 'fragment' || kind === 'run')
}

function syntaxErrorsOf(path: string, { language, code, line }: Block): string[] {
  const [program, ...words] = language === 'sh' ? ['bash', '-n'] : [process.execPath, '--check']
  const file = language === 'sh' ? write(path, '../block.sh', code) : path
  const { status, stderr } = spawnSync(program ?? '', [...words, file], { encoding: 'utf8' })
  return status === 0 ? [] : [`the block in line ${line}: ${relative(ROOT, file)}: ${stderr}`]
}
