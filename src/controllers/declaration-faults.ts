/** Wrong declarations of classes: values that a static property cannot have, and names that no action has. */
import { describeValue } from '../base/describe.ts'
import { isRecord } from '../base/record.ts'
import { nearest } from '../base/suggest.ts'
import { isBody } from '../http/converters/body-argument.ts'
import { schemaName, takesObjectArguments } from '../http/converters/converter.ts'
import { isSchema } from '../http/converters/schema.ts'
import type { ControllerClass, ControllerMethods } from './class-methods.ts'
import { declaredMethods, inheritedEntry, isSecurity, ownStatic } from './statics.ts'

/** A declaration that is wrong, or that the framework would ignore. */
export interface DeclarationFault {
  /** Code of the finding of `propylon check`. */
  readonly code:
    | 'args-no-schema'
    | 'args-object'
    | 'body-repeated'
    | 'static-unknown'
    | 'static-unread'
    | 'static-value'
    | 'tool-name'
  /** The class that has the static property. */
  readonly owner: ControllerClass
  /** Name of the static property. */
  readonly property: string
  /** Method and argument, for an entry of `static args`. */
  readonly method?: string
  readonly argument?: string
  /** One sentence that names what is wrong. */
  readonly message: string
  readonly fix: string
}

/**
 * A class declares something wrong, or something that the framework would ignore. Nothing of the class is served.
 *
 * It is the cause of a ControllerLoadError.
 */
export class DeclarationError extends TypeError {
  readonly controllerClass: ControllerClass
  readonly faults: readonly DeclarationFault[]

  constructor(controllerClass: ControllerClass, faults: readonly DeclarationFault[]) {
    super(faults.map(({ owner, message, fix }) => `${owner.name || 'Controller'}: ${message} ${fix}`).join('\n'))
    this.controllerClass = controllerClass
    this.faults = faults
  }
}

/** The application's own classes of a controller. */
export interface InspectedClass extends ControllerMethods {
  readonly controllerClass: ControllerClass
}

/** The values of a static property that names methods. */
interface Values {
  /** Returns true for a value that is not a record by method. Defaults to false. */
  isWhole?(value: unknown): boolean
  /** Returns true for the value of a method. Undefined if a record is not allowed. */
  isEntry?(value: unknown): boolean
  readonly fix: string
}

const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string')
const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''

const EXPOSED: Values = {
  isWhole: isNames,
  isEntry: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([key, name]) => key === 'name' && (name ?? '') === String(name ?? '')),
  fix: "Write a list of actions, ['index', 'show'], or names by action: { index: { name: 'list_books' } }.",
}
const isCrossSite = (value: unknown): boolean => value === 'allow' || value === 'refuse'
/** Services check the values themselves. */
const OF_SERVICES: Values = {
  isWhole: (value) => !isPlainRecord(value),
  isEntry: (value) => value !== undefined,
  fix: '',
}

const VALUES: Readonly<Record<string, Values>> = {
  allow: {
    isWhole: (value) => Array.isArray(value) && value.every((method) => method === String(method).toUpperCase()),
    fix: "Give a list of request methods in upper case: static allow = ['GET', 'POST'].",
  },
  args: {
    isEntry: (value) => isNames(value) || isRecord(value),
    fix: "Write an array of parameter names, ['id', 'format'], or a record of converters, { id: int }.",
  },
  crossSite: {
    isWhole: isCrossSite,
    isEntry: isCrossSite,
    fix: "Write 'allow', 'refuse' or a record of them: { '*': 'allow' }.",
  },
  deprecated: { isWhole: isNames, fix: "Write a list of actions: ['index', 'show']." },
  pages: { isEntry: isName, fix: "Write the name of a template by action: { show: 'books/show' }." },
  prompts: {
    isEntry: isName,
    fix: "Write the name of a template by prompt: { review: 'books/review' }.",
  },
  publicNames: OF_SERVICES,
  resources: EXPOSED,
  results: {
    isEntry: (value) => value === null || isSchema(value),
    fix: 'Write a Standard Schema (Valibot, Zod, ArkType) by action, or null if the action gives no value.',
  },
  security: {
    isWhole: isSecurity,
    isEntry: isSecurity,
    fix: "Write a list of security schemes with their scopes, [{ bearer: [] }], or a record of lists by action: { '*': [{ bearer: [] }], login: [] }.",
  },
  signatures: OF_SERVICES,
  statuses: {
    isEntry: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    fix: 'Write a status from 200 to 299 by action: { create: 201 }.',
  },
  tools: EXPOSED,
}

/** Returns the static properties of a class that have other values than they can have. */
export function malformedStatics(
  owner: ControllerClass,
  { controllerClass, actions }: InspectedClass,
): DeclarationFault[] {
  return Object.entries(VALUES).flatMap(([property, { isWhole, isEntry, fix }]): DeclarationFault[] => {
    const value = ownStatic(owner, property)
    if (value === undefined || isWhole?.(value) === true) return []
    const message = (wrong: unknown) => `static ${property} has ${describeValue(wrong)}`
    const entries = isPlainRecord(value) ? Object.entries(value) : []
    // The record of a requirement, without the list around it, would be a record of actions. The one of a base class
    // may name actions that only other classes have.
    const isOfSchemes =
      property === 'security' &&
      owner === controllerClass &&
      entries.length > 0 &&
      !entries.some(([name]) => name === '*' || actions.has(name))
    if (isEntry === undefined || isOfSchemes || !isPlainRecord(value)) {
      return [{ code: 'static-value', owner, property, message: `${message(value)}.`, fix }]
    }
    const wrong = entries.filter(([, entry]) => !isEntry(entry))
    return wrong.map(([method, entry]) => ({
      code: 'static-value',
      owner,
      property,
      method,
      message: `${message(entry)} for "${method}".`,
      fix: entry === undefined ? UNDEFINED : fix,
    }))
  })
}

const UNDEFINED = 'Write its value, or remove the entry. A value of a module that imports this one is undefined here.'

/** Static properties that base classes may have for the methods of some subclasses. */
const SHARED: ReadonlySet<string> = new Set(['args', 'crossSite', 'publicNames', 'security', 'signatures'])

/** Static properties that name hooks and other methods, too. */
const OF_METHODS: ReadonlySet<string> = new Set(['args', 'crossSite', 'publicNames', 'signatures'])

/**
 * Returns the names in lists and records that no action has.
 *
 * @param properties - the static properties that name methods.
 */
export function unknownNames(
  { controllerClass, actions, methods, base }: InspectedClass,
  properties: readonly string[],
  isService: boolean,
): DeclarationFault[] {
  const prompts = declaredMethods(controllerClass, 'prompts')
  const isKnown = (property: string, name: string): boolean =>
    actions.has(name) ||
    (OF_METHODS.has(property) && methods.has(name)) ||
    // A prompt may have only a template, whose arguments static args declares.
    property === 'prompts' ||
    (property === 'args' && prompts.includes(name)) ||
    (RULES.has(property) && name === '*') ||
    // The URL of a service, and the one of its MCP face.
    (property === 'crossSite' && isService && (name === 'index' || name === 'mcp'))
  return properties.flatMap((property) =>
    declaredMethods(controllerClass, property).flatMap((method): DeclarationFault[] => {
      const { owner = controllerClass } = inheritedEntry(controllerClass, property, method) ?? {}
      if (isKnown(property, method) || (SHARED.has(property) && owner !== controllerClass)) return []
      const reason = methods.has(method) ? ', because its name begins with an underscore' : ''
      const near = nearest(method, actions.keys())
      const message = `static ${property} names "${method}", which is not an action`
      const fault = { code: 'static-unknown', owner, property, method } as const
      if (base !== null && method in base) {
        const fix = 'The base class has a member of this name, which no action can have. Rename the method.'
        return [{ ...fault, message: `${message}.`, fix }]
      }
      const fix = near === undefined ? 'Write the method, or correct the name.' : `Did you mean "${near}"?`
      return [{ ...fault, message: `${message}${reason}.`, fix }]
    }),
  )
}

/** Static properties whose entry for `'*'` holds for all actions. */
const RULES: ReadonlySet<string> = new Set(['crossSite', 'security'])

/** Returns the arguments in `static args` that have no schema, or none that can be used. */
export function malformedArguments(controllerClass: ControllerClass, isService: boolean): DeclarationFault[] {
  const prompts = declaredMethods(controllerClass, 'prompts')
  return declaredMethods(controllerClass, 'args').flatMap((method): DeclarationFault[] => {
    const entry = inheritedEntry(controllerClass, 'args', method)
    if (!isRecord(entry?.value)) return []
    const entries = Object.entries(entry.value)
    const [body] = entries.find(([, schema]) => isSchema(schema) && isBody(schema)) ?? []
    // A call of a service and a prompt have objects.
    const takesObjects = isService || prompts.includes(method)
    return entries.flatMap(([argument, schema]): DeclarationFault[] => {
      const fault = argumentFault(`${controllerClass.name}.${method}`, argument, schema, body, takesObjects)
      return fault === undefined ? [] : [{ owner: entry.owner, property: 'args', method, argument, ...fault }]
    })
  })
}

function argumentFault(
  label: string,
  argument: string,
  schema: unknown,
  body: string | undefined,
  takesObjects: boolean,
): Pick<DeclarationFault, 'code' | 'message' | 'fix'> | undefined {
  const method = label.slice(label.indexOf('.') + 1)
  if (!isSchema(schema)) {
    return {
      code: 'args-no-schema',
      message: `static args gives "${argument}" of ${label}() a converter that is not a Standard Schema, but ${describeValue(schema)}.`,
      fix: 'Use a converter of propylon/converters (int, optional(int), …) or a schema of a library (https://standardschema.dev).',
    }
  }
  if (argument === 'environ' || argument === 'start_response' || (argument === 'error' && method === '__after__')) {
    return {
      code: 'static-value',
      message: `static args declares "${argument}" of ${label}(), which the framework supplies, so that the schema would not be used.`,
      fix: 'Rename the argument.',
    }
  }
  if (isBody(schema)) {
    if (argument === body) return undefined
    return {
      code: 'body-repeated',
      message: `static args declares "${body}" and "${argument}" of ${label}() with body().`,
      fix: 'A request has one body: keep one of them, with a schema of all fields.',
    }
  }
  if (takesObjects || !takesObjectArguments(schema)) return undefined
  return {
    code: 'args-object',
    message: `static args has a schema of objects (${schemaName(schema)}) for "${argument}" of ${method}(), which is read from the query, and a query has no objects.`,
    fix: `For the body of the request write { ${method}: { ${argument}: body(…) } }, with body of propylon/converters.`,
  }
}

/** Returns true for an object of no class. */
export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
