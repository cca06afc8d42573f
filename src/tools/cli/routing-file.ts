/**
 * Checks and changes `config/routing.ts` of a project.
 *
 * @module
 */

import { readFileSync } from 'node:fs'
import { isMapper } from '../../app/framework-app-options.ts'
import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { complain, type Terminal } from '../../base/command-line/terminal.ts'
import { isRecord } from '../../base/record.ts'
import { errorMessage } from '../../base/thrown.ts'
import type { Mapper } from '../../routing/mapper.ts'
import type { NewFile } from './files.ts'
import type { ControllerName } from './names.ts'
import { findFile, importFile, type Project, pathIn } from './project.ts'

const ROUTING_FILES = ['config/routing.ts', 'config/routing.js'] as const

/** Returns the line that maps a controller which the project's default routes do not reach. */
export async function routeLine(
  project: Project,
  { path, directories, name }: ControllerName,
  terminal: Terminal,
): Promise<string | undefined> {
  const mapper = await loadMapper(project, terminal)
  if (mapper === undefined || mapper.table().some((route) => route.path.startsWith('/{controller'))) return undefined
  return `map.connect('${[...directories, name].join('_')}', '/${path}', { controller: '${path}', action: 'index' })`
}

/**
 * Checks that a new controller can be reached, and that the routes of a new resource do not conflict with existing
 * ones.
 *
 * @param routeNames - the names of the routes; none for a controller that the default routes reach.
 * @returns true if the project maps the resource already.
 * @throws UsageError - a route name is in use, or an existing route matches its URL first.
 */
export async function checkRoutes(
  project: Project,
  name: ControllerName,
  routeNames: readonly string[],
  terminal: Terminal,
): Promise<boolean> {
  const mapper = await loadMapper(project, terminal)
  if (mapper === undefined) return false
  checkPath(mapper, name)
  const found = mapper.table().filter((route) => route.name !== null && routeNames.includes(route.name))
  const other = found.find(({ controller }) => controller !== name.path)
  if (other === undefined) return found.length > 0
  throw new UsageError(
    `the route name ${quoted(other.name ?? '')} is already used for ${quoted(other.path)} in config/routing.ts`,
    'choose another name, or rename that route first',
  )
}

function checkPath(mapper: Mapper<unknown>, name: ControllerName): void {
  mapper.controllerScan = () => [name.path]
  mapper._created_regs = false
  const resolution = mapper.resolve('GET', `/${name.path}`)
  if (resolution.kind !== 'match') return
  const target = resolution.match.controller
  if (typeof target !== 'string' || target === name.path) return
  throw new UsageError(
    `config/routing.ts maps /${name.path} to the controller ${quoted(target)} already, so ${quoted(name.path)} would be unreachable`,
    'choose another name, or change that route first',
  )
}

/**
 * Loads the project's mapper without its application. Returns undefined if there is none; writes a line to stderr if
 * the file fails to load.
 */
async function loadMapper(project: Project, terminal: Terminal): Promise<Mapper<unknown> | undefined> {
  const file = findFile(project, ROUTING_FILES)
  if (file === undefined) return undefined
  let module: Record<string, unknown>
  try {
    module = await importFile(project, file)
  } catch (error) {
    const [reason] = errorMessage(error).split('\n')
    const problem = `${file} does not load (${reason}), so conflicts with existing routes were not checked`
    complain(terminal, `propylon: ${problem}`)
    return undefined
  }
  const mapper = module.map ?? module.default
  return isRecord(mapper) && isMapper(mapper) ? mapper : undefined
}

/**
 * Inserts a route such as `map.resource('comment', 'comments')` above the default routes, which would match its paths
 * first. The file may define routes by statements (`map.connect(…)`) or by a chain (`.connect(…)`).
 *
 * @returns the change, which is not written.
 * @throws UsageError - the file does not exist, or has no place for the route.
 */
export function withRoute(project: Project, line: string): NewFile {
  const fix = `add this line above the default routes: ${line}`
  const path = findFile(project, ROUTING_FILES)
  if (path === undefined) throw new UsageError('the project has no config/routing.ts', fix)
  const before = readFileSync(pathIn(project, path), 'utf8')
  const text = insertRoute(before, line)
  if (text === undefined) throw new UsageError(`${path} defines no routes by 'map.connect' or 'new Mapper()'`, fix)
  return { path, text }
}

/**
 * Inserts a line into the text of a routing file: above the default routes, or below the other routes if there are
 * none. Returns undefined if it defines no mapper.
 */
export function insertRoute(text: string, line: string): string | undefined {
  const lineFeed = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const find = (pattern: RegExp) => lines.findIndex((existing) => pattern.test(existing))
  const marker = find(/^\s*\/\/.*\bnew routes\b.*\babove\b/i)
  const statement = find(/^\s*map\s*\.connect\(.*\{controller\b/)
  const above = statement === -1 || (marker !== -1 && marker < statement) ? marker : statement
  const link = above === -1 ? find(/^\s*\.connect\(.*\{controller\b/) : -1
  if (above !== -1 || link !== -1) {
    const place = above === -1 ? link : above
    const indent = /^\s*/.exec(lines[place] ?? '')?.[0] ?? ''
    lines.splice(place, 0, indent + (above === -1 ? line.replace(/^map/, '') : line))
    return lines.join(lineFeed)
  }
  const last = lines.findLastIndex((existing) => /^(?:map|\s+)\s*\.\w+\(|\bmap\b.*=\s*new Mapper\(/.test(existing))
  if (last === -1) return undefined
  const isLink = /^\s+\./.test(lines[last] ?? '')
  const end = endOfCall(lines, last)
  const [, indent = '', call = '', semicolon = ''] = /^(\s*)(.*?)(;?)$/.exec(lines[end] ?? '') ?? []
  if (isLink) lines.splice(end, 1, indent + call, indent + line.replace(/^map/, '') + semicolon)
  else lines.splice(end + 1, 0, line)
  return lines.join(lineFeed)
}

/** Returns the index of the line with which a call ends. */
function endOfCall(lines: readonly string[], start: number): number {
  let open = 0
  for (const [index, line] of lines.entries()) {
    if (index < start) continue
    for (const character of line) open += character === '(' ? 1 : character === ')' ? -1 : 0
    if (open <= 0) return index
  }
  return start
}
