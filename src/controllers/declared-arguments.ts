/** Arguments that `static args` of a class declares: parameter names, or converters by name. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type BodyArgument, isBody } from '../http/converters/body-argument.ts'
import { isSchema } from '../http/converters/schema.ts'
import type { ControllerClass } from './controller-class.ts'
import { declaredMethods, inheritedEntry } from './statics.ts'

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
      /** Whether a subclass overrides the method for which the converters were declared. It may take fewer arguments. */
      readonly isOverridden: boolean
    }

/**
 * Returns the declaration for a method in `static args` of the class, or of the nearest class it extends that has one.
 *
 * @throws TypeError - the declaration is neither a list of names nor a record of Standard Schemas, has several bodies, or has an
 *   argument that the framework supplies.
 */
export function declaredArguments(
  controllerClass: ControllerClass,
  method: string,
): DeclaredArguments | undefined {
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
 * @throws TypeError - a declaration is invalid, so that a class with two bodies in an action fails at its first request.
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
