/**
 * Writes the public interface of the package to `api/`: one file for each entry, one line for each name and each member.
 *
 *     node scripts/api-surface.ts            writes the files
 *     node scripts/api-surface.ts --check    exits with 1 if they differ from the build, and prints the lines
 *
 * Needs a built dist/. A name that several entries export is written in the first one of package.json.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Declarations, INTERNAL_MEMBERS, type Statement } from './declarations.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = join(root, 'api')

const COMMENTS = /\/\*[\s\S]*?\*\/\s*|^\s*\/\/.*\n/gm

/** Returns the text of each file of `api/` by its name. */
export function apiSurface(): Map<string, string> {
  const manifest: { exports: Record<string, string | { types: string }> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const declarations = new Declarations()
  const files = new Map<string, string>()
  const places = new Map<Statement, string>()
  const surfaces = Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const entry = path.replace('.', 'propylon')
    const names = [...declarations.exportsOf(join(root, target.types))].sort(([a], [b]) => compare(a, b))
    for (const statement of names.flatMap(([, statements]) => statements)) {
      if (!places.has(statement)) places.set(statement, entry)
    }
    return [{ entry, names }]
  })
  const isWritten = new Set<Statement>()
  for (const { entry, names } of surfaces) {
    const hidden = new Map<Statement, string>()
    const lines = names.flatMap(([name, statements]) => {
      const [first] = statements
      const place = first && places.get(first)
      if (place !== entry) return [`${name}: see ${place}`]
      for (const statement of statements) {
        for (const each of declarations.referredTo(
          statement,
          (each) => places.has(each) || isWritten.has(each),
        )) {
          if (!places.has(each)) hidden.set(each, each.names.join())
        }
      }
      return statements.flatMap(linesOf)
    })
    for (const each of hidden.keys()) isWritten.add(each)
    const others = [...hidden]
      .sort(([, a], [, b]) => compare(a, b))
      .flatMap(([statement]) => linesOf(statement))
    files.set(
      `${entry.replace('/', '-')}.txt`,
      `${[`# ${entry}`, '', ...lines, ...(others.length > 0 ? ['', '# Types without an export', '', ...others] : [])].join('\n')}\n`,
    )
  }
  return files
}

/** Returns a line for a statement, and one for each member of a class or an interface, in the order of their names. */
function linesOf({ text }: Statement): string[] {
  const plain = text
    .replaceAll(COMMENTS, '')
    .replaceAll(INTERNAL_MEMBERS, '')
    .replace(/^export (?:declare )?|^declare /, '')
  const [, head, body] = /^((?:abstract )?(?:class|interface) [\s\S]*?) \{\n([\s\S]*)\n\}$/.exec(plain) ?? []
  if (head === undefined || body === undefined) return [oneLine(plain)]
  const members = body
    .split(/\n(?=\t[^\s})\]])/)
    .map(oneLine)
    .filter((member) => !/^(?:#private|private )/.test(member))
    .sort((a, b) => compare(nameOf(a), nameOf(b)))
  return [oneLine(head), ...members.map((member) => `  ${member}`)]
}

/** Returns the name of a member without its modifiers. */
function nameOf(member: string): string {
  return member.replace(/^(?:static |protected |readonly |abstract |get |set )*/, '').replace(/\W.*$/, '')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replace(/;$/, '').trim()
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the lines of one text that the other lacks. */
function missing(from: string, text: string): string[] {
  const lines = new Set(text.split('\n'))
  return from.split('\n').filter((line) => !lines.has(line))
}

if (import.meta.main) {
  const files = apiSurface()
  const names = new Set([...files.keys(), ...readdirSync(folder).filter((name) => name.endsWith('.txt'))])
  for (const name of names) {
    const path = join(folder, name)
    const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const now = files.get(name) ?? ''
    if (before === now) continue
    if (!process.argv.includes('--check')) {
      if (now === '') rmSync(path)
      else writeFileSync(path, now)
      continue
    }
    process.exitCode = 1
    console.error(
      `api/${name} differs from the build. If the change is meant, run node scripts/api-surface.ts.`,
    )
    for (const line of missing(before, now)) console.error(`- ${line}`)
    for (const line of missing(now, before)) console.error(`+ ${line}`)
  }
}
