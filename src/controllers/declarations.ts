/** Static properties by which classes declare what actions take and give, and where they appear. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isRecord } from '../base/record.ts'
import { type BodyArgument, isBody } from '../http/converters/body-argument.ts'
import { isSchema } from '../http/converters/schema.ts'
import { type ControllerClass, definerOf } from './class-methods.ts'
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

/** Returns the declaration for a method in `static args` of the class, or of the nearest class it extends that has one. */
export function declaredArguments(controllerClass: ControllerClass, method: string): DeclaredArguments | undefined {
  const entry = inheritedEntry(controllerClass, 'args', method)
  if (entry === undefined) return undefined
  const { owner, value } = entry
  if (Array.isArray(value)) return { kind: 'names', names: value.map(String) }
  const converters = new Map<string, StandardSchemaV1>()
  let body: BodyParameter | undefined
  for (const [name, schema] of Object.entries(isRecord(value) ? value : {})) {
    if (!isSchema(schema)) continue
    if (isBody(schema)) body = { name, declaration: schema }
    else converters.set(name, schema)
  }
  const isOverridden = definerOf(owner.prototype, method) !== definerOf(controllerClass.prototype, method)
  return { kind: 'converters', converters, body, isOverridden }
}

/** Returns true if a class, or one that it extends, declares converters in `static args`. */
export function declaresConverters(controllerClass: ControllerClass): boolean {
  return declaredMethods(controllerClass, 'args').some(
    (method) => declaredArguments(controllerClass, method)?.kind === 'converters',
  )
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

/** Returns the declarations for an action, each from the nearest class that has one. */
export function declaredResult(controllerClass: ControllerClass, action: string): DeclaredResult | undefined {
  const schema = inheritedStatic(controllerClass, 'results', action)
  const page = inheritedStatic(controllerClass, 'pages', action)
  const status = inheritedStatic(controllerClass, 'statuses', action)
  if (schema === undefined && page === undefined && status === undefined) return undefined
  return {
    schema: schema === null || isSchema(schema) ? schema : undefined,
    page: typeof page === 'string' ? page : undefined,
    status: typeof status === 'number' ? status : undefined,
  }
}

/** The declarations of a class. */
export interface Exposure {
  /** Names by action. Undefined for the usual name, `CONTROLLER_ACTION`. */
  readonly tools: ReadonlyMap<string, string | undefined>
  readonly resources: ReadonlyMap<string, string | undefined>
  /** Templates by the name of the prompt. */
  readonly prompts: ReadonlyMap<string, string>
}

/** Returns the declarations of a class. */
export function exposureOf(controllerClass: ControllerClass): Exposure {
  const tools = namedActions(controllerClass, 'tools')
  const resources = namedActions(controllerClass, 'resources')
  const prompts = new Map(
    declaredMethods(controllerClass, 'prompts').map((name) => [
      name,
      String(inheritedStatic(controllerClass, 'prompts', name)),
    ]),
  )
  return { tools, resources, prompts }
}

/** Returns the actions of a list, or of a record that names some: `{ find: { name: 'find_city' } }`. */
function namedActions(controllerClass: ControllerClass, list: string): ReadonlyMap<string, string | undefined> {
  return new Map(
    declaredMethods(controllerClass, list).map((action) => {
      const entry = inheritedStatic(controllerClass, list, action)
      return [action, isRecord(entry) && typeof entry.name === 'string' ? entry.name : undefined]
    }),
  )
}

/** Returns the usual name of an action in documents and lists: `admin/books`, `index` → `admin_books_index`. */
export function operationName(controller: string, action: string): string {
  return `${controller}_${action}`.replaceAll(/[/-]/g, '_')
}
