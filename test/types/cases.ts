/**
 * Programs that the compiler checks, in `cases/`.
 *
 * The comment `// error: TEXT` above a statement states an error of the compiler. `…` matches any text. Where the text does not
 * matter, the comment is `@ts-expect-error`.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from './compiler.ts'

/** Absolute paths of the programs. */
export const CASES: readonly string[] = globSync('cases/**/*.ts', { cwd: import.meta.dirname })
  .sort()
  .map((path) => join(import.meta.dirname, path))

/** Returns whether a program declares types that every module of its program has. */
export function declaresTypes(text: string): boolean {
  return /^declare module/m.test(text)
}

/** Errors by statement, as stated and as the compiler reports them. An error that is as stated has the same text in both. */
export interface Comparison {
  readonly stated: readonly string[]
  readonly reported: readonly string[]
}

/** Compares the errors that a program states with those that the compiler reports. */
export function compareErrors(path: string, diagnostics: readonly Diagnostic[]): Comparison {
  const lines = readFileSync(path, 'utf8').split('\n')
  const stated: string[] = []
  const reported: string[] = []
  let rest = diagnostics
  for (const [i, line] of lines.entries()) {
    const [, text] = /^ *\/\/ error: (.*)$/.exec(line) ?? []
    if (text === undefined) continue
    stated.push(`${i + 1}: ${text}`)
    const end = lines.findIndex((each, next) => next > i && /^ *(?:\/\/.*)?$/.test(each))
    const isBelow = (each: Diagnostic) => each.line > i + 1 && (end < 0 || each.line <= end)
    for (const { message } of rest.filter(isBelow)) {
      reported.push(`${i + 1}: ${patternOf(text).test(message) ? text : message}`)
    }
    rest = rest.filter((each) => !isBelow(each))
  }
  return { stated, reported: [...reported, ...rest.map(({ line, message }) => `${line}: ${message}`)] }
}

function patternOf(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&').replaceAll('…', '.*')}$`)
}
