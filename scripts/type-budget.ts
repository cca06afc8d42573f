/**
 * Measures how much work the compiler has with 1,000 routes: chained on one mapper, and looked up by name 1,000
 * times; and defined one statement at a time. The statements of a {@link RouteMap}, whose names the compiler knows, take
 * longer and are measured with 300.
 *
 *     node scripts/type-budget.ts            prints the instantiations of types beside the budgets, and the times
 *     node scripts/type-budget.ts --check    fails when one is over its budget
 *
 * The budgets are counts, which are the same on every machine. Times depend on what else the machine does. The
 * budgets leave room for other versions of the compiler: only a large step fails.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROUTES = 1000
const STATEMENTS = 300
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const numbers = Array.from({ length: ROUTES }, (_, index) => index)

const HEAD = `import { Mapper } from 'propylon/routing'\n`

function path(index: number): string {
  return `'/section${index % 37}/item${index}/{id:\\\\d{1,9}}/part/{part}{.format}'`
}

const uses = numbers.map((index) => `map.url('route${index}', { id: ${index}, part: 'a' })`).join('\n')
const wrongUse = `// @ts-expect-error a value is missing\nmap.url('route${ROUTES - 1}', { id: 1 })\n// @ts-expect-error no such route\nmap.url('route${ROUTES}', {})\n`
const options = `{ controller: 'items', action: 'show' }`

/** Programs by title, with the largest number of instantiations of types for each. */
const programs: Record<string, readonly [budget: number, program: string]> = {
  [`${ROUTES} connects in one chain, ${ROUTES} uses`]: [
    640_000,
    `${HEAD}export const map = new Mapper()\n${numbers
      .map((index) => `  .connect('route${index}', ${path(index)}, ${options})`)
      .join('\n')}\n${uses}\n${wrongUse}`,
  ],
  [`${ROUTES} connects by statement`]: [
    160_000,
    `${HEAD}export const map = new Mapper()\n${numbers
      .map((index) => `map.connect('route${index}', ${path(index)}, ${options})`)
      .join('\n')}\n${uses}\n`,
  ],
  [`${STATEMENTS} connects by statement on a RouteMap`]: [
    120_000,
    `import { Mapper, type RouteMap } from 'propylon/routing'
export const map: RouteMap = new Mapper()\n${numbers
      .slice(0, STATEMENTS)
      .map((index) => `map.connect('route${index}', ${path(index)}, ${options})`)
      .join('\n')}\nexport type Routes = typeof map\n`,
  ],
  [`${ROUTES} resources in one chain, ${ROUTES} uses`]: [
    1_000_000,
    `${HEAD}export const map = new Mapper()\n${numbers
      .map((index) => `  .resource('item${index}', 'items${index}', { member: { mark: 'POST' } })`)
      .join('\n')}\n${numbers.map((index) => `map.url('edit_item${index}', { id: ${index} })`).join('\n')}\n`,
  ],
}

/** Controllers with a route for each of the seven actions of a resource: 301 routes. */
const RESOURCES = 43
const DECLARED_ROUTES = RESOURCES * 7

/** Largest number of instantiations that the declarations of an action add. */
const DECLARATION = 500

/**
 * Returns a project of resources.
 *
 * @param isDeclared - whether actions declare what they take and give.
 */
function resources(isDeclared: boolean): string {
  const resource = (index: number) => `
const Item${index} = v.object({ id: v.number(), title: v.string(), pages: v.optional(v.number()) })
export const List${index} = v.array(Item${index})
const New${index} = v.object({ title: v.pipe(v.string(), v.minLength(1)), pages: v.optional(v.number()) })
type Item${index} = v.InferOutput<typeof Item${index}>
type New${index} = v.InferOutput<typeof New${index}>
declare const item${index}: Item${index}
class C${index} extends WSGIController {
${
  isDeclared
    ? `  static args = { index: { page: optional(int, 1) }, show: { id: int }, create: { item: body(New${index}, { form: 'new' }) }, update: { id: int, item: body(New${index}, { form: 'edit' }) }, edit: { id: int }, delete: { id: int } }
  static results = { index: List${index}, show: Item${index}, create: Item${index}, update: Item${index}, delete: null }
  static pages = { index: 'items/index', show: 'items/show', new: 'items/new', edit: 'items/edit' }`
    : ''
}
  index(page: number) { return page > 1 ? [] : [item${index}] }
  show(id: number) { return id > 0 ? item${index} : abort(404) }
  new() { return {} }
  create(item: New${index}) { return created('/items', { ...item${index}, ...item }) }
  edit(id: number) { return id > 0 ? item${index} : abort(404) }
  update(id: number, item: New${index}) { return done('/items', { ...item${index}, ...item, id }) }
  delete(_id: number) { return done('/items') }
}`
  const indices = numbers.slice(0, RESOURCES)
  return `import { abort, created, done, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body, int, optional } from 'propylon/converters'
import * as v from 'valibot'
${indices.map(resource).join('\n')}
export const map = new Mapper()
${indices.map((index) => `  .resource('item${index}', 'items${index}', { controller: 'c${index}' })`).join('\n')}
export default new FrameworkApp({ map, controllers: { ${indices.map((index) => `c${index}: C${index}`).join(', ')} } })
export const used = [body, int, optional]
`
}

const directory = mkdtempSync(join(root, 'test', 'routing', '.type-budget-'))
let failed = false
try {
  for (const [title, [budget, program]] of Object.entries(programs)) {
    const { instantiations, seconds } = compile(program)
    const isOver = instantiations > budget
    failed ||= isOver
    const count = instantiations.toLocaleString('en')
    console.log(
      `${count.padStart(10)} (budget ${budget.toLocaleString('en')})  ${seconds} s  ${title}${isOver ? '  OVER' : ''}`,
    )
  }
  const bare = compile(resources(false)).instantiations
  const each = Math.round((compile(resources(true)).instantiations - bare) / DECLARED_ROUTES)
  const isOver = each > DECLARATION
  failed ||= isOver
  console.log(
    `${String(each).padStart(10)} (budget ${DECLARATION})  for the declarations of each of ${DECLARED_ROUTES} routes, which cost ${Math.round(bare / DECLARED_ROUTES)} without${isOver ? '  OVER' : ''}`,
  )
} finally {
  rmSync(directory, { recursive: true })
}
if (failed && process.argv.includes('--check')) process.exitCode = 1

function compile(program: string): { instantiations: number; seconds: string } {
  const file = join(directory, 'routes.ts')
  const config = join(directory, 'tsconfig.json')
  writeFileSync(file, program)
  writeFileSync(config, JSON.stringify({ extends: '../../../tsconfig.json', include: ['routes.ts'] }))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  // Several threads would instantiate some types more than once.
  const options = ['-p', config, '--extendedDiagnostics', '--singleThreaded']
  const report = execFileSync(process.execPath, [tsc, ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const instantiations = Number(/^Instantiations: +(\d+)$/m.exec(report)?.[1])
  const seconds = /^Total time: +([\d.]+)s$/m.exec(report)?.[1]
  if (Number.isNaN(instantiations) || seconds === undefined) {
    throw new Error(`The compiler has not reported its instantiations and time:\n${report}`)
  }
  return { instantiations, seconds }
}
