import type { ControllerName } from './names.ts'
import { findFile, importFile, isRecord, type Project } from './project.ts'
import { quoted, Refusal } from './refusal.ts'
import { complain, type Terminal } from './terminal.ts'

/** Where a project keeps its routes. */
export const ROUTING_FILES = ['config/routing.ts', 'config/routing.js'] as const

/** What is asked of the mapper that a project exports, which may come from another copy of the framework. */
interface ProjectMapper {
  controllerScan: (() => Iterable<string>) | undefined
  _created_regs: boolean
  resolve(method: string, path: string): unknown
  table(): Iterable<{
    readonly name: string | null
    readonly path: string
    readonly controller: string | null
  }>
}

/** Throws a Refusal when a route of the project would catch the new controller's URL before it. */
export async function checkReachable(
  project: Project,
  name: ControllerName,
  terminal: Terminal,
): Promise<void> {
  const mapper = await loadMapper(project, terminal)
  if (mapper !== undefined) checkPath(mapper, name)
}

/**
 * Throws a Refusal when the routes of a new resource would clash with what the project maps: a name that is taken or a path that
 * leads elsewhere.
 *
 * @returns whether the project maps the resource already.
 */
export async function checkResource(
  project: Project,
  name: ControllerName,
  routeNames: readonly string[],
  terminal: Terminal,
): Promise<boolean> {
  const mapper = await loadMapper(project, terminal)
  if (mapper === undefined) return false
  checkPath(mapper, name)
  let found = false
  for (const route of mapper.table()) {
    if (route.name === null || !routeNames.includes(route.name)) continue
    if (route.controller !== name.path) {
      throw new Refusal(
        `the route name ${quoted(route.name)} is taken by ${quoted(route.path)} in config/routing.ts`,
        'choose another name, or rename that route first',
      )
    }
    found = true
  }
  return found
}

function checkPath(mapper: ProjectMapper, name: ControllerName): void {
  mapper.controllerScan = () => [name.path]
  mapper._created_regs = false
  const resolution = mapper.resolve('GET', `/${name.path}`)
  if (!isRecord(resolution) || resolution.kind !== 'match' || !isRecord(resolution.match)) return
  const leadsTo = resolution.match.controller
  if (typeof leadsTo !== 'string' || leadsTo === name.path) return
  throw new Refusal(
    `config/routing.ts maps /${name.path} to the controller ${quoted(leadsTo)} already, so that ${quoted(name.path)} could not be reached`,
    'choose another name, or change that route first',
  )
}

/** The project's mapper on its own, without its application; undefined, with a word on stderr, when it cannot be had. */
async function loadMapper(project: Project, terminal: Terminal): Promise<ProjectMapper | undefined> {
  const file = findFile(project, ROUTING_FILES)
  if (file === undefined) return undefined
  let module: Record<string, unknown>
  try {
    module = await importFile(project, file)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    complain(
      terminal,
      `propylon: ${file} does not load (${reason}), so clashes with mapped names were not looked for`,
    )
    return undefined
  }
  const mapper = module.map ?? module.default
  return isProjectMapper(mapper) ? mapper : undefined
}

function isProjectMapper(value: unknown): value is ProjectMapper {
  return isRecord(value) && typeof value.resolve === 'function' && typeof value.table === 'function'
}
