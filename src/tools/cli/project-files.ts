import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { NewFile } from './files.ts'
import { controllerName } from './names.ts'
import { parseFields } from './resource-fields.ts'
import { resourceFiles, resourceLine } from './resource-files.ts'
import { insertRoute } from './routing-file.ts'
import { PACKAGE_FOLDER, projectTemplate, variantTemplate } from './templates.ts'

/** A database that a new project can use. With `both`, `DATABASE_URL` chooses at run time. */
export type DatabaseName = 'sqlite' | 'postgres' | 'both'

/** The parts of a new project that its creator chooses. */
export interface Parts {
  /** The version of propylon to depend on, as for npm. Default: this version and compatible ones. */
  readonly propylon: string | undefined
  readonly database: DatabaseName | undefined
  /** Whether Redis keeps the sessions, instead of the database or a cookie. */
  readonly sessions: 'redis' | undefined
  /** Whether users register and sign in. Requires a database. */
  readonly login: boolean
  /** Whether there is a table of background work, and a worker. Requires a database. */
  readonly worker: boolean
  /** Whether there is an example of a resource. */
  readonly example: boolean
}

/** Dependencies and devDependencies of a new project, in the versions of this package. */
const SCHEMAS = ['@valibot/to-json-schema', 'valibot'] as const
const DEVELOPMENT = [
  '@types/node',
  'css-select',
  'oxlint',
  'oxlint-tsgolint',
  'parse5',
  'swagger-ui-dist',
  'tough-cookie',
  'typescript',
] as const
const POSTGRES_PACKAGES = { dependencies: ['kysely', 'pg'], devDependencies: ['@types/pg'] } as const
const DATABASE_PACKAGES = {
  sqlite: { dependencies: ['kysely'], devDependencies: [] },
  postgres: POSTGRES_PACKAGES,
  both: POSTGRES_PACKAGES,
} as const
const SESSION_PACKAGES = { redis: ['ioredis'] } as const

/** Files that a variant continues instead of replacing. */
const CONTINUED: ReadonlySet<string> = new Set(['.env.example', 'README.md', 'templates/pages/index.eta'])

/**
 * Returns the files of a new project.
 *
 * @param name - the name of its package.
 * @param node - the version of Node that creates it. One that does not run TypeScript adds the npm package `node`.
 */
export function projectFiles(name: string, parts: Parts, node = process.versions.node): NewFile[] {
  const { database, sessions, login, worker, example } = parts
  const files = new Map(projectTemplate().map((file) => [file.path, file]))
  const variants = [
    ...(database === undefined ? [] : ['database', database]),
    ...(sessions === undefined ? [] : [sessions]),
    ...(login ? ['login'] : []),
    ...(worker ? ['worker'] : []),
    ...(example ? ['example'] : []),
  ]
  for (const { path, text } of variants.flatMap(variantTemplate)) {
    const before = CONTINUED.has(path) ? (files.get(path)?.text ?? '') : ''
    files.set(path, { path, text: before + text })
  }
  if (database !== undefined) files.delete('model/README.md') // model/tables.ts is there.
  if (login) files.delete('tests/functional/test_database.ts') // The tests of the users use all tables.
  change(files, 'app.ts', (text) => withChecks(text, { database, sessions }))
  change(files, 'templates/layout.eta', (text) => text.replace(NAV, () => files.get('templates/_nav.eta')?.text ?? ''))
  files.delete('templates/_nav.eta')
  if (example) addExample(files)
  const filled = [...files.values()].map(({ path, text }) => {
    const named = text.replaceAll('project-name', name)
    return { path, text: path === 'package.json' ? packageText(named, parts, node) : named }
  })
  const settings = filled.find(({ path }) => path === '.env.example')
  return [...filled, ownSettings(settings?.text ?? '')].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The place of the links of a variant in the layout. */
const NAV = "<%~ include('_nav') %>\n"

function change(files: Map<string, NewFile>, path: string, replace: (text: string) => string): void {
  files.set(path, { path, text: replace(files.get(path)?.text ?? '') })
}

/** Adds the checks of the database and of Redis to app.ts. */
function withChecks(app: string, { database, sessions }: Pick<Parts, 'database' | 'sessions'>): string {
  const parts = [...(database === undefined ? [] : ['Database']), ...(sessions === undefined ? [] : ['Redis'])]
  if (parts.length === 0) return app
  const imports = parts.map((part) => `import { check${part} } from './config/${part.toLowerCase()}.ts'\n`)
  const withImports = app.replace('import { map }', () => `${imports.join('')}import { map }`)
  if (parts.length === 1) return withImports.replace('health()', `health({ check: check${parts[0]} })`)
  return withImports.replace(/\[(.*), health\(\), (.*)\](?=,\n}\)\n)/, (_, before, behind) =>
    [
      '[',
      `  ${before},`,
      '  health({ check: () => Promise.all([checkDatabase(), checkRedis()]) }),',
      `  ${behind},`,
      ']',
    ].join('\n  '),
  )
}

/** Adds the files and the route of the resource notes. */
function addExample(files: Map<string, NewFile>): void {
  const [note, notes] = [controllerName('note'), controllerName('notes')]
  const read = (path: string) => files.get(path)?.text
  const resource = { singular: note, plural: notes, fields: parseFields([]) }
  const { created } = resourceFiles(resource, { read, migrations: undefined, withTest: true })
  for (const file of created) files.set(file.path, file)
  const path = 'config/routing.ts'
  const text = insertRoute(files.get(path)?.text ?? '', resourceLine(note, notes))
  if (text === undefined) throw new Error(`The template of ${path} has no place for new routes`)
  files.set(path, { path, text })
}

function packageText(text: string, { propylon, database, sessions }: Parts, node: string): string {
  const { version, devDependencies } = ownPackage()
  const known: Readonly<Record<string, string>> = { ...devDependencies, propylon: propylon ?? `^${version}` }
  /** Returns dependencies in the order of their names, as npm writes them. */
  const versions = (names: readonly string[]) => Object.fromEntries(names.toSorted().map((name) => [name, known[name]]))
  const packages = database === undefined ? undefined : DATABASE_PACKAGES[database]
  const needsNode = !runsTypeScript(node)
  const clients = sessions === undefined ? [] : SESSION_PACKAGES[sessions]
  const template: { readonly scripts: object } = JSON.parse(text)
  const description = {
    ...template,
    scripts: {
      ...template.scripts,
      ...(packages && { migrate: 'propylon migrate', predev: 'propylon migrate', seed: 'propylon run model/seed.ts' }),
    },
    dependencies: versions([...SCHEMAS, ...(packages?.dependencies ?? []), ...clients, 'propylon']),
    devDependencies: versions([...DEVELOPMENT, ...(packages?.devDependencies ?? []), ...(needsNode ? ['node'] : [])]),
    // A dependency of the page of the OpenAPI document, which reports its installation.
    allowScripts: { ...(needsNode && { node: true }), '@scarf/scarf': false },
  }
  return `${JSON.stringify(description, null, 2)}\n`
}

/** Returns whether a version of Node runs the project's TypeScript files: 22.18 or newer. */
function runsTypeScript(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

/** Returns the settings of the machine that creates the project: `.env.example`, with a secret. */
function ownSettings(settings: string): NewFile {
  const secret = randomBytes(32).toString('base64')
  const set = settings.split('\n').filter((line) => /^[A-Z_]+=/.test(line))
  const lines = set.map((line) => (line === 'SECRET=' ? `SECRET=${secret}` : line))
  const text = ['# Settings of this machine. See .env.example.', ...lines, ''].join('\n')
  return { path: '.env', text, mode: 0o600 }
}

/** Reads version and devDependencies of this package. */
export function ownPackage(): { version: string; devDependencies: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8'))
}
