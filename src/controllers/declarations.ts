/** Static properties by which classes declare what actions take and give, and where they appear. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isRecord } from '../base/record.ts'
import { similar } from '../base/suggest.ts'
import { type BodyArgument, isBody } from '../http/converters/body-argument.ts'
import { isSchema } from '../http/converters/schema.ts'
import type { ControllerClass } from './class-methods.ts'
import { declaredMethods, inheritedEntry, inheritedStatic } from './statics.ts'

/**
 * Declarations of `static args` by method: the names of the parameters in order, or converters by name.
 *
 * @example
 * ```ts
 * import { type ArgumentDeclarations, WSGIController } from 'propylon'
 * import { int } from 'propylon/converters'
 *
 * export class UsersController extends WSGIController {
 *   static args = { show: { id: int }, list: ['format'] } satisfies ArgumentDeclarations
 *
 *   show(id: number) {
 *     return { id }
 *   }
 *
 *   list(format = 'html') {
 *     return format
 *   }
 * }
 * ```
 */
export type ArgumentDeclarations = Readonly<
  Record<string, readonly string[] | Readonly<Record<string, StandardSchemaV1 | BodyArgument>>>
>

/** Converters by argument name. */
export type Converters = ReadonlyMap<string, StandardSchemaV1>

/** The parameter that receives the body of the request. */
export interface BodyParameter {
  readonly name: string
  readonly declaration: BodyArgument
}

/** The declaration for one method. */
export type DeclaredArguments =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | {
      readonly kind: 'converters'
      readonly converters: Converters
      /** The argument that is the body of the request. */
      readonly body: BodyParameter | undefined
      /**
       * Whether a subclass overrides the method for which the converters were declared. It may take fewer arguments.
       */
      readonly isOverridden: boolean
    }

/**
 * Returns the declaration for a method in `static args` of the class, or of the nearest class it extends that has one.
 *
 * @throws TypeError - the declaration is neither a list of names nor a record of Standard Schemas, has several
 *   bodies, or has an argument that the framework supplies.
 */
export function declaredArguments(controllerClass: ControllerClass, method: string): DeclaredArguments | undefined {
  const entry = inheritedEntry(controllerClass, 'args', method)
  if (entry === undefined) return undefined
  const { owner, value } = entry
  const place = `${controllerClass.name}.args.${method}`
  if (Array.isArray(value)) {
    if (!value.every((name) => typeof name === 'string')) {
      throw new TypeError(`${place} must be an array of parameter names: ['id', 'format'].`)
    }
    return { kind: 'names', names: value }
  }
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(
      `${place} must be an array of parameter names, ['id', 'format'], or a record of converters, { id: int }.`,
    )
  }
  const converters = new Map<string, StandardSchemaV1>()
  let body: BodyParameter | undefined
  for (const [name, schema] of Object.entries(value)) {
    if (!isSchema(schema)) {
      throw new TypeError(
        `${place}.${name} must be a converter of propylon/converters or another Standard Schema (https://standardschema.dev).`,
      )
    }
    if (name === 'environ' || name === 'start_response' || (name === 'error' && method === '__after__')) {
      throw new TypeError(
        `${place} declares "${name}", which the framework supplies, so that the schema would not be used. Rename the argument.`,
      )
    }
    if (!isBody(schema)) converters.set(name, schema)
    else if (body === undefined) body = { name, declaration: schema }
    else {
      throw new TypeError(
        `${place} declares "${body.name}" and "${name}" with body(). A request has one body: keep one of them, with a schema of all fields.`,
      )
    }
  }
  const isOverridden = definer(owner, method) !== definer(controllerClass, method)
  return { kind: 'converters', converters, body, isOverridden }
}

/**
 * Returns true if a class, or one that it extends, declares converters in `static args`.
 *
 * @throws TypeError - a declaration is invalid, so that a class with two bodies in an action fails at its first
 *   request.
 */
export function declaresConverters(controllerClass: ControllerClass): boolean {
  return declaredMethods(controllerClass, 'args').some(
    (method) => declaredArguments(controllerClass, method)?.kind === 'converters',
  )
}

/** Returns the prototype that defines a method of a class. */
function definer(owner: object, method: string): unknown {
  let prototype: unknown = Reflect.get(owner, 'prototype')
  while (typeof prototype === 'object' && prototype !== null && !Object.hasOwn(prototype, method)) {
    prototype = Object.getPrototypeOf(prototype)
  }
  return prototype
}

/** Declarations of a class about the result of an action. */
export interface DeclaredResult {
  /**
   * Schema of the result; null if the action gives no value; undefined if `static results` does not name the action.
   */
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
    throw new TypeError(`${controllerClass.name}.${record}.${action} is ${describeValue(value)}. Write ${expected}.`)
  }
  if (schema !== undefined && schema !== null && !isSchema(schema)) {
    refuse('results', schema, 'a Standard Schema (Valibot, Zod, ArkType), or null if the action gives no value')
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
  // Hooks, methods that show forms and prompts have arguments too. A base class may have converters for actions of
  // some subclasses.
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

/** The declarations of a class. */
export interface Exposure {
  /** Names by action. Undefined for the usual name, `CONTROLLER_ACTION`. */
  readonly tools: ReadonlyMap<string, string | undefined>
  readonly resources: ReadonlyMap<string, string | undefined>
  /** Templates by the name of the prompt. */
  readonly prompts: ReadonlyMap<string, string>
}

/**
 * Returns the declarations of a class. Undefined if it has none.
 *
 * @throws TypeError - a list does not have names, or a prompt is not the name of a template.
 */
export function exposureOf(controllerClass: ControllerClass): Exposure | undefined {
  const tools = namedActions(controllerClass, 'tools')
  const resources = namedActions(controllerClass, 'resources')
  const prompts = promptsOf(controllerClass)
  if (tools.size + resources.size + prompts.size === 0) return undefined
  return { tools, resources, prompts }
}

type List = 'deprecated' | 'tools' | 'resources'

/** Returns the actions in `static deprecated`, `static tools` or `static resources`. */
export function namesIn(controllerClass: ControllerClass, list: List): readonly string[] {
  return [...namedActions(controllerClass, list).keys()]
}

/** Returns the actions of a list, or of a record that names some: `{ find: { name: 'find_city' } }`. */
function namedActions(controllerClass: ControllerClass, list: List): ReadonlyMap<string, string | undefined> {
  const names: unknown = Reflect.get(controllerClass, list) ?? []
  if (Array.isArray(names) && names.every((name) => typeof name === 'string'))
    return new Map(names.map((name) => [name, undefined]))
  const refuse = (what: string): TypeError => {
    const record = list === 'deprecated' ? '' : ", or names by action: { index: { name: 'list_books' } }"
    return new TypeError(
      `${controllerClass.name}.${list} ${what}. Write a list of actions: ['index', 'show']${record}.`,
    )
  }
  if (list === 'deprecated' || !isRecord(names)) throw refuse(`is ${describeValue(names)}`)
  return new Map(
    Object.entries(names).map(([action, entry]) => {
      const { name, ...others } = isRecord(entry) ? entry : { name: null }
      if ((name === undefined || typeof name === 'string') && Object.keys(others).length === 0) return [action, name]
      throw refuse(`has ${describeValue(entry)} for "${action}"`)
    }),
  )
}

/**
 * Returns true for a name that the interfaces of language models accept. They refuse a whole request with another
 * one.
 */
export function isToolName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name)
}

/** A tool, a resource or a prompt. */
export interface ExposedName {
  /** The static property that declares it. */
  readonly record: string
  readonly action: string
  readonly name: string
}

/** Returns the names of tools, resources and prompts that the clients of language models refuse. */
export function refusedNames(controllerClass: ControllerClass, controller: string): ExposedName[] {
  let exposure: Exposure | undefined
  try {
    exposure = exposureOf(controllerClass)
  } catch (error) {
    // A malformed list is refused when its class is read.
    if (error instanceof TypeError) return []
    throw error
  }
  if (exposure === undefined) return []
  const { tools, resources, prompts } = exposure
  const all = [
    ...[...tools].map(([action, name]) => ({ record: 'tools', action, name })),
    ...[...resources].map(([action, name]) => ({ record: 'resources', action, name })),
    ...[...prompts.keys()].map((action) => ({ record: 'prompts', action, name: undefined })),
  ]
  return all
    .map(({ name, ...exposed }) => ({ ...exposed, name: name ?? operationName(controller, exposed.action) }))
    .filter(({ name }) => !isToolName(name))
}

/** Returns the usual name of an action in documents and lists: `admin/books`, `index` → `admin_books_index`. */
export function operationName(controller: string, action: string): string {
  return `${controller}_${action}`.replaceAll(/[/-]/g, '_')
}

function promptsOf(controllerClass: ControllerClass): ReadonlyMap<string, string> {
  const own: unknown = Reflect.get(controllerClass, 'prompts')
  if (own !== undefined && !isRecord(own)) throw notTemplates(controllerClass, own)
  const prompts = new Map<string, string>()
  for (const name of declaredMethods(controllerClass, 'prompts')) {
    const template = inheritedStatic(controllerClass, 'prompts', name)
    if (typeof template !== 'string' || template === '') throw notTemplates(controllerClass, template)
    prompts.set(name, template)
  }
  return prompts
}

function notTemplates({ name }: ControllerClass, value: unknown): TypeError {
  return new TypeError(
    `${name}.prompts has ${describeValue(value)}. Write templates by the names of prompts: { review: 'books/review' }.`,
  )
}
