import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { FindingData } from '../../../src/tools/check/finding.ts'
import { PACKAGE, propylonHere, temporaryFolder, writeTree } from '../cli/command-line.ts'

/** The files of a program by path. */
export type Files = Readonly<Record<string, string>>

const COMMON: Files = {
  'package.json': '{ "type": "module" }\n',
  'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url) })
`,
  'lib/base.ts': `import { WSGIController } from 'propylon'

export class BaseController extends WSGIController {}
`,
}

/** Returns a routing file with a chain of calls. */
export function routing(...calls: string[]): string {
  return `import { Mapper } from 'propylon'\n\nexport const map = new Mapper()\n${calls.map((call) => `  .${call}\n`).join('')}`
}

/** The default routes, as calls for {@link routing}. */
export const DEFAULT_ROUTES = [
  "connect('/{controller}', { action: 'index' })",
  "connect('/{controller}/{action}')",
  "connect('/{controller}/{action}/{id}')",
]

/** Returns a controller file with a class and its members. */
export function controller(className: string, ...members: string[]): string {
  return `import { BaseController } from '../lib/base.ts'\n\nexport class ${className} extends BaseController {\n${members.map((member) => `  ${member}\n`).join('')}}\n`
}

/** Creates a project without TypeScript, so that a check of it starts no process. */
export function project(files: Files): string {
  const folder = temporaryFolder()
  writeTree(folder, { ...COMMON, ...files })
  mkdirSync(join(folder, 'controllers'), { recursive: true })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(PACKAGE, join(folder, 'node_modules', 'propylon'), 'dir')
  for (const name of ['arktype', 'valibot', 'zod']) {
    symlinkSync(join(PACKAGE, 'node_modules', name), join(folder, 'node_modules', name), 'dir')
  }
  return folder
}

/** Result of `propylon check --json`. */
export interface Checked {
  readonly status: number | null
  readonly findings: readonly FindingData[]
  readonly stderr: string
}

/** Runs `propylon check --json` in a project. */
export async function check(folder: string): Promise<Checked> {
  const { status, stdout, stderr } = await propylonHere(['check', '--json'], folder)
  return { status, findings: stdout === '' ? [] : JSON.parse(stdout), stderr }
}
