/** Arguments that `static args` of a class declares: parameter names, or converters by name. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ControllerClass } from './controller-class.ts'
import { inheritedEntry } from './statics.ts'

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
  Record<string, readonly string[] | Readonly<Record<string, StandardSchemaV1>>>
>

/** Converters by argument name. */
export type Converters = ReadonlyMap<string, StandardSchemaV1>

/** The declaration for one method. */
export type DeclaredArguments =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | {
      readonly kind: 'converters'
      readonly converters: Converters
      /** Whether a subclass overrides the method for which the converters were declared. It may take fewer arguments. */
      readonly isOverridden: boolean
    }

/**
 * Returns the declaration for a method in `static args` of the class, or of the nearest class it extends that has one.
 *
 * @throws TypeError - the declaration is neither a list of names nor a record of Standard Schemas.
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
  for (const [name, schema] of Object.entries(value)) {
    if (!isSchema(schema)) {
      throw new TypeError(
        `${place}.${name} must be a converter of propylon/converters or another Standard Schema (https://standardschema.dev).`,
      )
    }
    converters.set(name, schema)
  }
  const isOverridden = definer(owner, method) !== definer(controllerClass, method)
  return { kind: 'converters', converters, isOverridden }
}

/** Returns true if a class, or one that it extends, declares converters in `static args`. */
export function declaresConverters(controllerClass: ControllerClass): boolean {
  let owner: object | null = controllerClass
  while (typeof owner === 'function') {
    const entries: unknown = Object.hasOwn(owner, 'args') ? Reflect.get(owner, 'args') : undefined
    if (typeof entries === 'object' && entries !== null) {
      if (Object.values(entries).some((entry) => !Array.isArray(entry))) return true
    }
    owner = Object.getPrototypeOf(owner)
  }
  return false
}

/** Returns the prototype that defines a method of a class. */
function definer(owner: object, method: string): unknown {
  let prototype: unknown = Reflect.get(owner, 'prototype')
  while (typeof prototype === 'object' && prototype !== null && !Object.hasOwn(prototype, method)) {
    prototype = Object.getPrototypeOf(prototype)
  }
  return prototype
}

function isSchema(value: unknown): value is StandardSchemaV1 {
  // The schemas of ArkType are functions.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard: unknown = Reflect.get(value, '~standard')
  return (
    typeof standard === 'object' &&
    standard !== null &&
    typeof Reflect.get(standard, 'validate') === 'function'
  )
}
