/** Declarations of what actions give: `static results`, `static pages` and `static statuses`. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isRecord } from '../base/record.ts'
import { similar } from '../base/suggest.ts'
import { isSchema } from '../http/converters/schema.ts'
import type { ControllerClass } from './controller-class.ts'
import { namesIn } from './exposure.ts'
import { declaredMethods, inheritedEntry, inheritedStatic } from './statics.ts'

/** Declarations of a class about the result of an action. */
export interface DeclaredResult {
  /** Schema of the result; null if the action gives no value; undefined if `static results` does not name the action. */
  readonly schema: StandardSchemaV1 | null | undefined
  /** Template that shows the result to browsers. */
  readonly page: string | undefined
  /** Status of the response. */
  readonly status: number | undefined
}

/** An action about whose result the class declares nothing. */
export const UNDECLARED: DeclaredResult = { schema: undefined, page: undefined, status: undefined }

/** Names of the static records. */
const RECORDS = ['results', 'pages', 'statuses'] as const

/** Names of the static lists of actions. */
const LISTS = ['deprecated', 'tools', 'resources'] as const

/**
 * Returns the declarations for an action, each from the nearest class that has one.
 *
 * @throws TypeError - a declaration has another type than it should have.
 */
export function declaredResult(controllerClass: ControllerClass, action: string): DeclaredResult | undefined {
  const entry = (record: (typeof RECORDS)[number]) => inheritedStatic(controllerClass, record, action)
  const [schema, page, status] = RECORDS.map(entry)
  if (schema === undefined && page === undefined && status === undefined) return undefined
  const refuse = (record: string, value: unknown, expected: string): never => {
    throw new TypeError(
      `${controllerClass.name}.${record}.${action} is ${describeValue(value)}. Write ${expected}.`,
    )
  }
  if (schema !== undefined && schema !== null && !isSchema(schema)) {
    refuse(
      'results',
      schema,
      'a Standard Schema (Valibot, Zod, ArkType), or null if the action gives no value',
    )
  }
  if (page !== undefined && typeof page !== 'string')
    refuse('pages', page, "the name of a template, such as 'books/show'")
  if (status !== undefined && !isSuccess(status)) refuse('statuses', status, 'a status from 200 to 299')
  return {
    schema: schema === null || isSchema(schema) ? schema : undefined,
    page: typeof page === 'string' ? page : undefined,
    status: isSuccess(status) ? status : undefined,
  }
}

function isSuccess(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 299
}

/**
 * Checks the static records of a class: they name methods that exist, and have values that they can have.
 *
 * @param isReserved - returns true for a member of the framework's base class, whose name no action can have.
 * @throws TypeError - a record names another member, or has another value.
 */
export function checkDeclarations(
  controllerClass: ControllerClass,
  actions: ReadonlyMap<string, unknown>,
  isReserved: (name: string) => boolean,
): void {
  const named = [
    ...RECORDS.map((record) => [record, namesOf(controllerClass, record)] as const),
    ...LISTS.map((list) => [list, namesIn(controllerClass, list)] as const),
  ]
  for (const [record, names] of named) requireNamed(controllerClass, record, names, actions, isReserved)
  // Hooks, methods that show forms and prompts have arguments too. A base class may have converters for actions of some subclasses.
  const prompts = declaredMethods(controllerClass, 'prompts')
  const others = namesOf(controllerClass, 'args').filter(
    (name) =>
      inheritedEntry(controllerClass, 'args', name)?.owner === controllerClass &&
      !(name in controllerClass.prototype || prompts.includes(name)),
  )
  requireNamed(controllerClass, 'args', others, actions, isReserved)
  for (const name of actions.keys()) declaredResult(controllerClass, name)
}

/** @throws TypeError - the record is not an object. */
function namesOf(controllerClass: ControllerClass, record: string): string[] {
  const own: unknown = Reflect.get(controllerClass, record)
  if (own === undefined || isRecord(own)) return declaredMethods(controllerClass, record)
  throw new TypeError(
    `${controllerClass.name}.${record} is ${describeValue(own)}. Write an object with an entry for each action.`,
  )
}

function requireNamed(
  { name: className }: ControllerClass,
  record: string,
  names: readonly string[],
  actions: ReadonlyMap<string, unknown>,
  isReserved: (name: string) => boolean,
): void {
  const unknown = names.find((name) => !actions.has(name))
  if (unknown === undefined) return
  const near = similar(unknown, [...actions.keys()])
  const hint = isReserved(unknown)
    ? 'The base class has a member of this name, which no action can have. Rename the method.'
    : near === undefined
      ? 'Correct the name, or write the method.'
      : `Did you mean "${near}"?`
  throw new TypeError(`${className}.${record} names "${unknown}", which is not an action. ${hint}`)
}
