/** Checks many programs by one run of the compiler. */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT } from '../docs/blocks.ts'
import { folderWithPackages } from '../docs/layout.ts'

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** Settings that turn the framework's sources into declarations, which other programs import in their place. */
const DECLARATIONS = {
  extends: join(ROOT, 'tsconfig.build.json'),
  compilerOptions: {
    composite: true,
    emitDeclarationOnly: true,
    // The examples of internal functions import them.
    stripInternal: false,
    // `npm run typecheck` checks the sources.
    noCheck: true,
    customConditions: ['propylon-source'],
    rootDir: join(ROOT, 'src'),
    outDir: '.',
  },
  include: [join(ROOT, 'src')],
  exclude: [join(ROOT, 'src/tools/cli/templates')],
}

/** An error of the compiler. */
export interface Diagnostic {
  /** Absolute path of the file. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Code and text, with the lines that explain it joined by blanks. */
  readonly message: string
}

/**
 * Programs that one run of `tsc --build` checks. It generates the declarations of the framework once and reads them for each
 * program, so that a further program costs a tenth of a second.
 */
export class Programs {
  /** A folder outside of the package, in which the package can be imported. */
  readonly folder: string = folderWithPackages()
  #count = 0
  readonly #unchecked: string[] = []

  /**
   * Adds a program.
   *
   * @param patterns files, from {@link folder}.
   * @param compilerOptions options that differ from those of the framework.
   * @throws Error - a pattern matches no file.
   */
  add(patterns: readonly string[], compilerOptions: object = {}): void {
    const files = patterns.flatMap((pattern) => {
      const found = globSync(pattern, { cwd: this.folder })
      if (found.length === 0) throw new Error(`${pattern} matches no file`)
      return found.map((file) => resolve(this.folder, file))
    })
    this.#add({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, files, include: [] })
  }

  /** Adds a project with its own `tsconfig.json`, whose package `propylon` is this one. */
  addProject(folder: string): void {
    const compilerOptions = { customConditions: ['propylon-source'] }
    this.#add({ extends: join(folder, 'tsconfig.json'), compilerOptions })
  }

  /** Checks the programs that were added since the last check, and returns their errors. */
  check(): Diagnostic[] {
    this.#write('declarations', DECLARATIONS)
    const names = this.#unchecked.splice(0)
    const { stdout, stderr } = spawnSync(process.execPath, [TSC, '--build', ...names, '--pretty', 'false'], {
      cwd: join(this.folder, 'programs'),
      encoding: 'utf8',
      maxBuffer: 1e8,
    })
    const errors = [...stdout.matchAll(/^(\S.*)\((\d+),(\d+)\): error (TS\d+: .*(?:\n +.*)*)/gm)]
    const others = stdout.split('\n').filter((line) => /^\S/.test(line)).length - errors.length
    if (stderr !== '' || others > 0) throw new Error(`tsc failed:\n${stdout}${stderr}`)
    return errors.map(([, file = '', line, column, message = '']) => ({
      file: resolve(this.folder, 'programs', file),
      line: Number(line),
      column: Number(column),
      message: message.replaceAll(/\s*\n\s*/g, ' '),
    }))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  #add(settings: object): void {
    this.#count += 1
    const name = `program-${this.#count}`
    this.#unchecked.push(name)
    this.#write(name, { ...settings, references: [{ path: '../declarations' }] })
  }

  #write(name: string, settings: object): void {
    const folder = join(this.folder, 'programs', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  }
}
