import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangedFile } from './files.ts'
import { ROUTING_FILES } from './mapped.ts'
import { findFile, type Project } from './project.ts'
import { Refusal } from './refusal.ts'

/**
 * Works out how a project's routes look with one line more, such as `map.resource('comment', 'comments')`: above the default
 * routes, which would catch its paths otherwise. Understands statements (`map.connect(…)`) and a chain (`.connect(…)`).
 * Throws a Refusal when there is no such file or no place in it.
 */
export function withRoute(project: Project, line: string): ChangedFile {
  const wayOut = `add this line yourself, above the default routes: ${line}`
  const path = findFile(project, ROUTING_FILES)
  if (path === undefined) throw new Refusal('the project has no config/routing.ts', wayOut)
  const before = readFileSync(join(project.root, ...path.split('/')), 'utf8')
  const text = insertRoute(before, line)
  if (text === undefined)
    throw new Refusal(`${path} has no place for a new route that could be told for sure`, wayOut)
  return { path, before, text }
}

/** The text of a routing file with a line more; undefined when it has neither the marker nor a default route. */
export function insertRoute(text: string, line: string): string | undefined {
  const lineFeed = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const marker = lines.findIndex((existing) => /^\s*\/\/.*\bnew routes\b.*\babove\b/i.test(existing))
  const statement = lines.findIndex((existing) => /^\s*map\s*\.connect\(.*\{controller\b/.test(existing))
  const link = lines.findIndex((existing) => /^\s*\.connect\(.*\{controller\b/.test(existing))
  const chained = marker === -1 && statement === -1
  const place = chained
    ? link
    : statement === -1 || (marker !== -1 && marker < statement)
      ? marker
      : statement
  if (place === -1) return undefined
  const indent = /^\s*/.exec(lines[place] ?? '')?.[0] ?? ''
  lines.splice(place, 0, indent + (chained ? line.replace(/^map/, '') : line))
  return lines.join(lineFeed)
}
