/** Compiles the blocks of pages. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Block, Page } from './blocks.ts'
import { ROOT } from './blocks.ts'
import { folderOf, folderWithPackages, layOut, write } from './layout.ts'

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** Compiler settings of the examples. */
const SETTINGS = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    noEmit: true,
    moduleDetection: 'force',
    noUnusedLocals: false,
    noUnusedParameters: false,
    customConditions: ['propylon-source'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  },
}

/** Compiles the files of a folder that match a pattern. Returns the errors, by line. */
export function compile(folder: string, include: readonly string[]): string[] {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...SETTINGS, include }))
  const { stdout, stderr } = spawnSync(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return (stdout + stderr).split('\n').filter((line) => /^\S/.test(line))
}

/**
 * Compiles the modules and fragments of pages in TypeScript, checks the syntax of fragments in JavaScript and sh, and returns
 * the errors of each page.
 *
 * A block that declares types for the whole program (`declare module`), or that imports one, is a program of its own.
 */
export function compilePages(pages: readonly Page[]): Map<string, string[]> {
  const root = folderWithPackages()
  try {
    const errors = new Map<string, string[]>()
    const shared: Block[] = []
    const fail = ({ page, line }: Block, error: string) =>
      errors.set(page, [...(errors.get(page) ?? []), `the block in line ${line}: ${error}`])
    for (const page of pages) {
      if (page.isWalk) continue
      for (const block of page.blocks) {
        if (block.kind !== 'fragment' && block.kind !== 'run') continue
        const path = layOut(root, page, block)
        if (block.language !== 'ts') {
          if (block.kind === 'fragment') for (const error of syntaxErrors(path, block)) fail(block, error)
        } else if (declaresTypes(join(root, folderOf(block)))) {
          for (const error of compile(root, [join(folderOf(block), '**/*.ts')])) fail(block, error)
        } else shared.push(block)
      }
    }
    const byFolder = new Map(shared.map((block) => [folderOf(block), block]))
    for (const error of compile(
      root,
      [...byFolder.keys()].map((folder) => `${folder}/**/*.ts`),
    )) {
      const block = byFolder.get(error.split('/').slice(0, 2).join('/'))
      if (block === undefined) errors.set('tsc', [...(errors.get('tsc') ?? []), error])
      else fail(block, error)
    }
    return errors
  } finally {
    rmSync(root, { recursive: true })
  }
}

function declaresTypes(folder: string): boolean {
  return globSync('**/*.ts', { cwd: folder }).some((file) =>
    /^declare module/m.test(readFileSync(join(folder, file), 'utf8')),
  )
}

function syntaxErrors(path: string, { language, code }: Block): string[] {
  const [program, ...words] = language === 'sh' ? ['bash', '-n'] : [process.execPath, '--check']
  const file = language === 'sh' ? write(path, '../block.sh', code) : path
  const { status, stderr } = spawnSync(program ?? '', [...words, file], { encoding: 'utf8' })
  return status === 0 ? [] : [`${relative(ROOT, file)}: ${stderr}`]
}
