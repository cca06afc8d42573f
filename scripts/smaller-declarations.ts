/** Makes the declarations of the build smaller: what the entries do not need is left out. */
import { globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Declarations, type Statement, wordsOf } from './declarations.ts'

/** Comments with the line that they end. */
const COMMENTS = /[^\S\n]*\/\*[\s\S]*?\*\/\n/g

/** A statement that imports names, or exports names of another module or of its own. */
const LIST = /^(?<start>(?<keyword>import|export)(?: type)? \{)(?<names>[^}]*)\}/

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
  const needed = declarations.needed([
    ...exported,
    ...entries.flatMap((entry) => declarations.statementsOf(entry)),
  ])
  const files = globSync('**/*.d.ts', { cwd: folder }).map((path) => join(folder, path))
  const texts = files.map((file) => {
    const isEntry = entries.includes(file)
    const statements = declarations
      .statementsOf(file)
      .filter((each) => needed.has(each) || each.names.length === 0)
    const words = wordsOf(
      statements
        .filter(({ names }) => names.length > 0)
        .map(({ text }) => text)
        .join('\n'),
    )
    const kept = statements.flatMap((each) => {
      const text = isEntry
        ? each.text
        : withoutUnused(each, words, (name) =>
            declarations.find(file, name).some((found) => needed.has(found)),
          )
      if (text === '') return []
      const isDescribed = isEntry || described.has(each)
      return [isDescribed ? `${each.comment}${text}\n` : `${text}\n`.replaceAll(COMMENTS, '')]
    })
    return kept.join('').replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
  })
  for (const [index, file] of files.entries()) writeFileSync(file, texts[index] ?? '')
  const reachable = declarations.reachable(...entries)
  for (const file of files) if (!reachable.has(file)) rmSync(file)
}

/**
 * Returns the text of a statement without the names in its list that nothing needs, or '' if none is left.
 *
 * @param words - the words of the other statements in the module.
 * @param isNeeded - whether what an exported name leads to is needed.
 */
function withoutUnused(
  { text, names }: Statement,
  words: ReadonlySet<string>,
  isNeeded: (name: string) => boolean,
): string {
  const { start = '', keyword, names: list = '' } = LIST.exec(text)?.groups ?? {}
  // `export {}` makes a file a module.
  if (names.length > 0 || list.trim() === '') return text
  const kept = list.split(',').filter((each) => {
    const as = /(\w+)\s*$/.exec(each)?.[1] ?? ''
    return keyword === 'import' ? words.has(as) : isNeeded(as)
  })
  return kept.length === 0 ? '' : `${start}${kept.join(',').trimEnd()} ${text.slice(text.indexOf('}'))}`
}
