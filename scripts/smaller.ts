/** Makes the build smaller without a change of names or lines, so that stack traces and debuggers show readable code. */
import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Parser } from 'acorn'
import { Declarations, type Statement } from './declarations.ts'

/** Comments with the line that they end. */
const COMMENTS = /[^\S\n]*\/\*[\s\S]*?\*\/\n/g

/** Returns a module whose indentation is tabs instead of four spaces each. Template literals are unchanged. */
export function indentWithTabs(code: string): string {
  const templates: { readonly start: number; readonly end: number }[] = []
  Parser.parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowHashBang: true,
    onToken: ({ type, start, end }) => {
      if (type.label === 'template') templates.push({ start, end })
    },
  })
  let next = 0
  return code.replaceAll(/^(?: {4})+/gm, (spaces, index: number) => {
    while ((templates[next]?.end ?? index) < index) next++
    const isWithin = (templates[next]?.start ?? index) < index
    return isWithin ? spaces : '\t'.repeat(spaces.length / 4)
  })
}

/**
 * Removes the declarations that no entry needs, and the comments of names that no entry exports and no exported type refers to.
 *
 * @param folder - the folder of the build.
 * @param entries - the declarations of the entries.
 */
export function trimDeclarations(folder: string, entries: readonly string[]): void {
  const declarations = new Declarations()
  const exported = entries.flatMap((entry) => [...declarations.exportsOf(entry).values()].flat())
  const described = new Set(exported.flatMap((each) => [each, ...declarations.referredTo(each)]))
  const isDescribed = (statement: Statement): boolean =>
    described.has(statement) || entries.includes(statement.file)
  const needed = declarations.reachable(...entries)
  for (const file of globSync('**/*.d.ts', { cwd: folder }).map((path) => join(folder, path))) {
    if (!needed.has(file)) {
      rmSync(file)
      continue
    }
    const statements = declarations
      .statementsOf(file)
      .map((each) =>
        isDescribed(each) ? `${each.comment}${each.text}\n` : `${each.text}\n`.replaceAll(COMMENTS, ''),
      )
    writeFileSync(
      file,
      statements.join('').replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4)),
    )
  }
}
