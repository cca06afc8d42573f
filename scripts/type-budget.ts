/**
 * Measures how long the compiler takes for 1,000 routes: chained on one mapper, and looked up by name 1,000 times; and defined
 * one statement at a time.
 * The statements of a {@link RouteMap}, whose names the compiler knows, take longer and are measured with 100. Also measures
 * the check of return types, for 300 controllers of 8 actions.
 *
 *     node scripts/type-budget.ts            prints the times beside the aims, which hold for an idle machine
 *     node scripts/type-budget.ts --check    fails when one takes more than four times its aim
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROUTES = 1000
const STATEMENTS = 100
/** A machine that runs the tests is slower, and has other work. */
const TOLERANCE = 4
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const numbers = Array.from({ length: ROUTES }, (_, index) => index)

const HEAD = `import { Mapper } from 'propylon/routing'\n`

function path(index: number): string {
  return `'/section${index % 37}/item${index}/{id:\\\\d{1,9}}/part/{part}{.format}'`
}

const uses = numbers.map((index) => `map.url('route${index}', { id: ${index}, part: 'a' })`).join('\n')
const wrongUse = `// @ts-expect-error a value is missing\nmap.url('route${ROUTES - 1}', { id: 1 })\n// @ts-expect-error no such route\nmap.url('route${ROUTES}', {})\n`
const options = `{ controller: 'items', action: 'show' }`

const CONTROLLERS = 300
const ACTIONS = 8
const action = (index: number) =>
  `  async action${index}(id: string, format = 'html') {\n    return format === 'json' ? { id } : this.render('${index}', { id })\n  }`
const body = numbers.slice(0, ACTIONS).map(action).join('\n')
const controllers = numbers
  .slice(0, CONTROLLERS)
  .map((index) => `export class C${index}Controller extends WSGIController {\n${body}\n}`)

/** Programs by title, with the seconds that each should take at most. */
const programs: Record<string, readonly [aim: number, program: string]> = {
  [`${CONTROLLERS} controllers of ${ACTIONS} actions`]: [
    5,
    `import { WSGIController } from 'propylon'\n${controllers.join('\n')}
// @ts-expect-error a number cannot be sent
export class WrongController extends WSGIController {\n  count() {\n    return 42\n  }\n}\n`,
  ],
  [`${ROUTES} connects in one chain, ${ROUTES} uses`]: [
    1.2,
    `${HEAD}export const map = new Mapper()\n${numbers
      .map((index) => `  .connect('route${index}', ${path(index)}, ${options})`)
      .join('\n')}\n${uses}\n${wrongUse}`,
  ],
  [`${ROUTES} connects by statement`]: [
    1.2,
    `${HEAD}export const map = new Mapper()\n${numbers
      .map((index) => `map.connect('route${index}', ${path(index)}, ${options})`)
      .join('\n')}\n${uses}\n`,
  ],
  [`${STATEMENTS} connects by statement on a RouteMap`]: [
    1.2,
    `import { Mapper, type RouteMap } from 'propylon/routing'
export const map: RouteMap = new Mapper()\n${numbers
      .slice(0, STATEMENTS)
      .map((index) => `map.connect('route${index}', ${path(index)}, ${options})`)
      .join('\n')}\nexport type Routes = typeof map\n`,
  ],
  [`${ROUTES} resources in one chain, ${ROUTES} uses`]: [
    2.5,
    `${HEAD}export const map = new Mapper()\n${numbers
      .map((index) => `  .resource('item${index}', 'items${index}', { member: { mark: 'POST' } })`)
      .join('\n')}\n${numbers.map((index) => `map.url('edit_item${index}', { id: ${index} })`).join('\n')}\n`,
  ],
}

const directory = mkdtempSync(join(root, 'test', 'routing', '.type-budget-'))
let failed = false
try {
  console.log(
    `${seconds('import { Mapper } from "propylon/routing"\nnew Mapper()\n').toFixed(2)} s  an empty mapper`,
  )
  for (const [title, [aim, program]] of Object.entries(programs)) {
    const took = seconds(program)
    failed ||= took > TOLERANCE * aim
    console.log(`${took.toFixed(2)} s  (aim: ${aim} s)  ${title}`)
  }
} finally {
  rmSync(directory, { recursive: true })
}
if (failed && process.argv.includes('--check')) process.exitCode = 1

function seconds(program: string): number {
  const file = join(directory, 'routes.ts')
  const config = join(directory, 'tsconfig.json')
  writeFileSync(file, program)
  writeFileSync(config, JSON.stringify({ extends: '../../../tsconfig.json', include: ['routes.ts'] }))
  const start = performance.now()
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', config], {
    stdio: 'inherit',
  })
  return (performance.now() - start) / 1000
}
