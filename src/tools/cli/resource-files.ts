/**
 * The files of a REST resource: its controller, its model, its pages and its tests.
 *
 * @module
 */

import { quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { pascalCase } from '../../http/converters/schema-components.ts'
import type { NewFile } from './files.ts'
import { nextStamp } from './migration-files.ts'
import type { ControllerName } from './names.ts'
import { type Field, fieldWords, LONGEST_COLUMN } from './resource-fields.ts'
import { controllerFile, testFile, wordsOf } from './scaffold.ts'
import { importPath, substitute, template } from './templates.ts'

/** The templates of a resource, in a folder with its path. */
const PAGES = ['_form.eta', 'edit.eta', 'index.eta', 'new.eta', 'show.eta'] as const

/** A resource to create. */
export interface Resource {
  readonly singular: ControllerName
  readonly plural: ControllerName
  readonly fields: readonly Field[]
}

/** The project that a resource is for. */
export interface ResourcePlace {
  /** Returns the text of a file; undefined if there is none. */
  read(path: string): string | undefined
  /** The paths of the migrations; undefined if the data are in memory. */
  readonly migrations: readonly string[] | undefined
  readonly withTest: boolean
}

/** The files of the tables, which a project with a database has. */
const TABLES = 'model/tables.ts'
const DATABASE = 'config/database.ts'

/** Returns whether a project has a database in which a resource can be. */
export function hasDatabase(read: ResourcePlace['read']): boolean {
  return read(DATABASE) !== undefined && read(TABLES) !== undefined
}

/**
 * Returns the files of a resource.
 *
 * @throws UsageError - its table exists, or its name cannot be a table's.
 */
export function resourceFiles(
  resource: Resource,
  place: ResourcePlace,
): { readonly created: readonly NewFile[]; readonly changed: readonly NewFile[] } {
  const { singular, plural, fields } = resource
  const { read, migrations, withTest } = place
  const table = namePrefix(plural) + plural.name
  const model = `model/${plural.path}.ts`
  const factory = `tests/factories/${plural.path}.ts`
  const hasBooleans = !read(DATABASE)?.includes('sqliteDialect')
  const words = {
    ...wordsOf(plural, read('lib/base.ts') === undefined ? undefined : 'lib/base.ts'),
    ...resourceWords(singular, plural),
    ...fieldWords(fields, hasBooleans),
    './resource/model.ts': importPath(controllerFile(plural), model),
    './resource/factory.ts': importPath(testFile(plural), factory),
    './config/database.ts': importPath(model, DATABASE),
    things_table: table,
    ThingsTable: `${pascalCase(table)}Table`,
    FIELDS_PLACES: [
      ...(migrations === undefined ? [] : ['in model/tables.ts, in a migration']),
      `in templates/${plural.path}/_form.eta`,
    ].join(' and '),
    ...(migrations === undefined ? SYNCHRONOUS : {}),
    '// BOOLEANS\n': '',
    ...(migrations === undefined || hasBooleans ? {} : booleanWords(resource, table, model)),
    '  // GUARD\n': hasUsers(read) ? template('resource/guard.txt') : '',
    ...testWords(plural.path, migrations && table, read),
  }
  const filled = (name: string) => substitute(template(name), words)
  const hasLayout = read('templates/layout.eta') !== undefined
  const field = 'templates/_field.eta'
  const created: NewFile[] = [{ path: controllerFile(plural), text: filled('restcontroller.ts') }]
  if (migrations !== undefined) {
    const path = `migrations/${nextStamp(migrations)}_create_${table}.ts`
    created.push({ path, text: filled('resource/migration.ts') })
  }
  const modelText = substitute(modelTemplate(migrations !== undefined), words)
  created.push({ path: model, text: modelText.replace(/\n{3,}/g, '\n\n') })
  if (read(field) === undefined) created.push({ path: field, text: template(`project/${field}`) })
  for (const page of PAGES) {
    const text = filled(`resource/pages/${page}`)
    created.push({ path: `templates/${plural.path}/${page}`, text: hasLayout ? text : withoutLayout(text) })
  }
  if (withTest) {
    const text = substitute(template('resource/factory.ts'), { ...words, './model.ts': importPath(factory, model) })
    created.push({ path: factory, text }, { path: testFile(plural), text: filled('restcontroller_test.ts') })
  }
  if (migrations === undefined) return { created, changed: [] }
  return { created, changed: [withTable(table, place, `\n${filled('resource/table.ts')}`)] }
}

/** Code that need not wait for data in memory. */
const SYNCHRONOUS: Readonly<Record<string, string>> = {
  'async show(': 'show(',
  'async create(': 'create(',
  'async edit(': 'edit(',
  'async update(': 'update(',
  'async delete(': 'delete(',
  'await createItem': 'createItem',
  '(await findItem(id))': 'findItem(id)',
  '(await updateItem(id, fields))': 'updateItem(id, fields)',
  '(await deleteItem(id))': 'deleteItem(id)',
}

/** Returns the template of a model: schemas, and functions for the data, which are in a table or in memory. */
function modelTemplate(isStored: boolean): string {
  const memory = template('resource/model.ts')
  if (!isStored) return memory
  const schemas = memory.slice(0, memory.indexOf('/** The stored items'))
  const imported = "import * as v from 'valibot'\n"
  return (
    schemas.replace(imported, () => `${imported}import { database } from './config/database.ts'\n`) +
    template('resource/database.ts')
  )
}

/** Adds a table to the types of the project. */
function withTable(table: string, { read, migrations = [] }: ResourcePlace, type: string): NewFile {
  const before = read(TABLES) ?? ''
  const members = /(?<=interface Tables \{\r?\n)[\s\S]*?(?=^\})/m
  const known = members.exec(before)?.[0]
  if (known === undefined) {
    throw new UsageError(`${TABLES} has no interface Tables`, "add one, or keep the data in memory by '--memory'")
  }
  const isCreated = new RegExp(
    `(?:createTable\\(|create\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?)['"\`]?${table}\\b`,
    'i',
  )
  const exists =
    new RegExp(`^\\s*['"]?${table}['"]?\\??:`, 'im').test(known) ||
    migrations.some((path) => isCreated.test(read(path) ?? ''))
  if (exists) throw new UsageError(`the table ${quoted(table)} exists already`, 'choose another name')
  if (/^(?:sqlite_|pg_|kysely_)/i.test(table) || table.length > LONGEST_COLUMN) {
    const fix = `choose another of at most ${LONGEST_COLUMN} characters`
    throw new UsageError(`${quoted(table)} cannot be the name of a table`, fix)
  }
  const entry = `  ${table}: ${pascalCase(table)}Table\n`
  return { path: TABLES, text: before.replace(members, () => known + entry) + type }
}

/** Returns the code for columns that are 0 and 1. */
function booleanWords({ fields }: Resource, table: string, model: string): Record<string, string> {
  const names = fields.filter(({ type }) => type === 'bool')
  if (names.length === 0) return {}
  const members = (from: string, value: (name: string) => string) =>
    names
      .map(({ name, isOptional }) => {
        const member = `${from}.${name}`
        return `${name}: ${isOptional ? `${member} === null ? null : ` : ''}${value(member)}`
      })
      .join(', ')
  const query = `database.selectFrom('${table}').selectAll().where('id', '=', id).executeTakeFirst()`
  return {
    "  return database.selectFrom('things_table').selectAll().where('id', '=', id).executeTakeFirst()": `  const row = await ${query}\n  return row && toItem(row)`,
    '.values(item)': '.values({ id: item.id, ...toRow(fields) })',
    '.set(fields)': '.set(toRow(fields))',
    'list.items': 'list.items.map(toItem)',
    "import { database } from './config/database.ts'\n": `import { database } from '${importPath(model, DATABASE)}'\nimport type { ${pascalCase(table)}Table } from '${importPath(model, TABLES)}'\n`,
    '// BOOLEANS\n': `
/** Columns have 0 and 1 for false and true, which SQLite does not have. */
export function toItem(row: ${pascalCase(table)}Table): Item {
  return { ...row, ${members('row', (member) => `${member} === 1`)} }
}

function toRow(fields: Fields) {
  return { ...fields, ${members('fields', (member) => `Number(${member})`)} }
}
`,
  }
}

/** Returns whether the base class of the controllers has a guard for users. */
function hasUsers(read: ResourcePlace['read']): boolean {
  return /\b_requireUser\(/.test(`${read('lib/base.ts')}${read('lib/visitor.ts')}`)
}

/** Returns the code of tests whose data are in a table, and whose clients sign in. */
function testWords(path: string, table: string | undefined, read: ResourcePlace['read']): Record<string, string> {
  const signsIn = hasUsers(read) && read('tests/users.ts')?.includes('function signedIn') === true
  const imports = [
    importOf('app', '../../app.ts'),
    ...(table === undefined ? [] : [importOf('{ database }', '../../config/database.ts')]),
    ...(table === undefined && !signsIn ? [] : [importOf('{ skip }', '../database.ts')]),
    ...(signsIn ? [importOf('{ signedIn }', '../users.ts')] : []),
  ]
  return {
    "import app from './project/app.ts'": imports.join('\n'),
    ...(table !== undefined && { '{ describe, test }': '{ beforeEach, describe, test }' }),
    "describe('area/things', () => {\n": [
      `describe('${path}', ${table === undefined && !signsIn ? '' : '{ skip }, '}() => {\n`,
      table === undefined ? '' : `  beforeEach(() => database.deleteFrom('${table}').execute())\n\n`,
    ].join(''),
    ...(signsIn && { 'return new TestApp(app)': 'return (await signedIn()).client' }),
    '  // GUARD_TEST\n': signsIn ? guardTest(path) : '',
  }
}

function importOf(names: string, path: string): string {
  return `import ${names} from '${path}'`
}

function guardTest(path: string): string {
  return `
  test('changes require a user', async () => {
    const stranger = new TestApp(app)
    assert.equal((await stranger.postJson('/${path}', SENT, JSON_ONLY)).status, 401)
    assert.equal((await stranger.get('/${path}', PAGE)).status, 200)
  })
`
}

function withoutLayout(text: string): string {
  const head = '<!doctype html>\n<meta charset="utf-8">\n<title><%= $1 %></title>'
  return text.replace(/^<% layout\('layout', \{ title: (.*) \}\) %>/, head)
}

/** Returns the line that maps a resource. */
export function resourceLine(singular: ControllerName, plural: ControllerName): string {
  const names = `'${singular.name}', '${plural.name}'`
  if (plural.directories.length === 0) return `map.resource(${names})`
  const options = [
    `controller: '${plural.path}'`,
    `pathPrefix: '/${plural.directories.join('/')}'`,
    `namePrefix: '${namePrefix(plural)}'`,
  ]
  return `map.resource(${names}, { ${options.join(', ')} })`
}

/** Returns the names of the routes of a resource. */
export function routeNames(singular: ControllerName, plural: ControllerName): string[] {
  const { area_things, area_thing, area_new_thing, area_edit_thing } = resourceWords(singular, plural)
  return [area_things, area_thing, area_new_thing, area_edit_thing]
}

function resourceWords(singular: ControllerName, plural: ControllerName) {
  const prefix = namePrefix(plural)
  const [one, several] = [singular, plural].map(({ name }) => name.replaceAll('_', ' '))
  return {
    area_things: prefix + plural.name,
    area_thing: prefix + singular.name,
    area_new_thing: `${prefix}new_${singular.name}`,
    area_edit_thing: `${prefix}edit_${singular.name}`,
    thing: one ?? '',
    things: several ?? '',
    Thing: capitalized(one ?? ''),
    Things: capitalized(several ?? ''),
  }
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function namePrefix(plural: ControllerName): string {
  return plural.directories.map((directory) => `${directory}_`).join('')
}
