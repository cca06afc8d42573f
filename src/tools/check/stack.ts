import type { Place } from './model.ts'
import { placeOfText } from './route-view.ts'

/**
 * Returns the place of an error in a folder, outside of packages: the place of the innermost call on its stack, of a mistake of
 * syntax, or of the import of a missing module.
 */
export function placeInProject(error: Error, root: string): Place | undefined {
  for (const text of placesOf(error)) {
    const place = placeOfText(text)
    if (place?.file.startsWith(`${root}/`) && !place.file.includes('/node_modules/')) return place
  }
  return undefined
}

function* placesOf({ stack = '', message }: Error): Iterable<string | undefined> {
  const lines = stack.split('\n')
  // The stack of a SyntaxError begins with its file and line.
  const [, file, line] = /^(?:file:\/\/)?(\/.*):(\d+)$/.exec(lines[0] ?? '') ?? []
  if (file !== undefined) yield `${file}:${line}:1`
  for (const call of lines) yield /(?:\(|at )(?:file:\/\/)?(\/.*:\d+:\d+)\)?$/.exec(call.trim())?.[1]
  const importer = / imported from (?:file:\/\/)?(\/.*?)(?: \(did you mean .*)?$/m.exec(message)?.[1]
  if (importer !== undefined) yield `${importer}:1:1`
}
