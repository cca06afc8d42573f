/**
 * The static properties by which controllers declare something: their vocabulary, and its check when a class is loaded.
 *
 * A property that nothing reads would be ignored in silence, and `static result` would send what the schema of
 * `static results` removes. So the vocabulary is closed: a property that is nearly one of it, or whose value looks
 * like a record of actions, is an error.
 *
 * @module
 */
import { describeValue } from '../base/describe.ts'
import { isRecord } from '../base/record.ts'
import { editDistance, nearest } from '../base/suggest.ts'
import { isBody } from '../http/converters/body-argument.ts'
import { schemaName, takesObjectArguments } from '../http/converters/converter.ts'
import { isSchema } from '../http/converters/schema.ts'
import type { ControllerClass, ControllerMethods } from './class-methods.ts'
import { classesOf, DEFAULT_ALLOW, declaredMethods, inheritedEntry, isSecurity, ownStatic } from './statics.ts'

/** Kinds of values of static properties. */
type Kind = 'record' | 'list' | 'text' | 'number' | 'boolean'

/**
 * Kinds of classes that read static properties: controllers with actions, services, those of them that have XML-RPC,
 * other classes with `__call__`, and classes of `sockets`.
 */
type Reader = 'actions' | 'services' | 'xmlrpc' | 'applications' | 'sockets'

/** The kinds of the values of a static property, the classes that read it, and whether it names methods. */
type Declaration = readonly [kinds: readonly Kind[], readers: readonly Reader[], names?: 'methods']

const BOTH: readonly Reader[] = ['actions', 'services']
const ALL_CALLED: readonly Reader[] = [...BOTH, 'applications']

/** The static properties that some class reads. */
const VOCABULARY: ReadonlyMap<string, Declaration> = new Map<string, Declaration>([
  ['allow', [['list'], ALL_CALLED]],
  ['args', [['record'], BOTH, 'methods']],
  ['crossSite', [['record', 'text'], ALL_CALLED, 'methods']],
  ['deprecated', [['list'], BOTH, 'methods']],
  ['description', [['text'], BOTH]],
  ['pages', [['record'], ['actions'], 'methods']],
  ['prompts', [['record'], ['actions'], 'methods']],
  ['resources', [['list', 'record'], ['actions'], 'methods']],
  ['results', [['record'], BOTH, 'methods']],
  ['security', [['list', 'record'], BOTH, 'methods']],
  ['statuses', [['record'], ['actions'], 'methods']],
  ['tools', [['list', 'record'], ['actions'], 'methods']],
  ['allowNil', [['boolean'], ['xmlrpc']]],
  ['batchBytes', [['number'], ['services']]],
  ['batchLimit', [['number'], ['services']]],
  ['booleanWords', [['boolean'], ['xmlrpc']]],
  ['browsable', [['boolean'], ['services']]],
  ['faces', [['list'], ['services']]],
  ['i8', [['boolean'], ['services']]],
  ['keepDoubles', [['boolean'], ['xmlrpc']]],
  ['max_body_length', [['number'], ['services']]],
  ['multicall', [['boolean'], ['xmlrpc']]],
  ['multicallLimit', [['number'], ['xmlrpc']]],
  ['publicNames', [['record'], ['services'], 'methods']],
  ['securitySchemes', [['record'], ['services']]],
  ['signatures', [['record'], ['services'], 'methods']],
  ['title', [['text'], ['services']]],
  ['version', [['text'], ['services']]],
  ['maxMessage', [['number'], ['sockets']]],
])

/** Returns the static properties that name methods of a service, or of another controller. */
function staticsWithMethods(isService: boolean): string[] {
  const reader = isService ? 'services' : 'actions'
  return [...VOCABULARY].flatMap(([name, [, readers, names]]) =>
    names !== undefined && readers.includes(reader) ? [name] : [],
  )
}

/** Names that other classes may have for themselves. */
const COMMON: ReadonlySet<string> = new Set(['description', 'title', 'version'])

/** The classes that read a static property, in words. */
const READERS: Readonly<Record<Reader, string>> = {
  actions: 'controllers with actions (WSGIController)',
  services: 'services (RPCController)',
  xmlrpc: 'services with XML-RPC (RPCController)',
  applications: 'classes with __call__',
  sockets: 'classes of sockets',
}

/** Own properties of every class. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(['length', 'name', 'prototype'])

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

/** Returns true if a template of a name exists, as far as that is known. */
export type IsTemplate = (name: string) => boolean

/** The application's own classes of a controller. */
export interface InspectedClass extends ControllerMethods {
  readonly controllerClass: ControllerClass
}

/** Returns what is wrong with the declarations of a class. The classes that it extends are included. */
export function declarationFaults(inspected: InspectedClass, isTemplate: IsTemplate): DeclarationFault[] {
  const { controllerClass, actions, base } = inspected
  const readers = readersOf(controllerClass, base)
  const context: RecordContext = { actions, isTemplate, readers }
  const faults = [...classesOf(controllerClass, base?.constructor)].flatMap((owner) => [
    ...unreadStatics(owner, context),
    ...malformedStatics(owner, inspected),
  ])
  if (readers.includes('applications')) return faults
  const isService = readers.includes('services')
  const malformed = faults.filter(({ method }) => method === undefined).map(({ property }) => property)
  const unknown = unknownNames(inspected, isService).filter(({ property }) => !malformed.includes(property))
  return [...faults, ...unknown, ...malformedArguments(controllerClass, isService)]
}

function readersOf(controllerClass: ControllerClass, base: object | null): readonly Reader[] {
  if (base === null || base === Object.prototype) return ['applications']
  if (!(DEFAULT_ALLOW in controllerClass)) return ['actions']
  return 'multicall' in base.constructor ? ['services', 'xmlrpc'] : ['services']
}

/** The values of a static property that names methods. */
interface Values {
  /** Returns true for a value that is not a record by method. */
  isWhole(value: unknown): boolean
  /** Returns true for the value of a method. */
  isEntry(value: unknown): boolean
  readonly fix: string
}

const never = (): boolean => false
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
  args: {
    isWhole: never,
    isEntry: (value) => isNames(value) || isRecord(value),
    fix: "Write an array of parameter names, ['id', 'format'], or a record of converters, { id: int }.",
  },
  crossSite: {
    isWhole: isCrossSite,
    isEntry: isCrossSite,
    fix: "Write 'allow', 'refuse' or a record of them: { '*': 'allow' }.",
  },
  deprecated: { isWhole: isNames, isEntry: never, fix: "Write a list of actions: ['index', 'show']." },
  pages: { isWhole: never, isEntry: isName, fix: "Write the name of a template by action: { show: 'books/show' }." },
  prompts: {
    isWhole: never,
    isEntry: isName,
    fix: "Write the name of a template by prompt: { review: 'books/review' }.",
  },
  publicNames: OF_SERVICES,
  resources: EXPOSED,
  results: {
    isWhole: never,
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
    isWhole: never,
    isEntry: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    fix: 'Write a status from 200 to 299 by action: { create: 201 }.',
  },
  tools: EXPOSED,
}

/** Returns the static properties of a class that have other values than they can have. */
function malformedStatics(owner: ControllerClass, { controllerClass, actions }: InspectedClass): DeclarationFault[] {
  return Object.entries(VALUES).flatMap(([property, { isWhole, isEntry, fix }]): DeclarationFault[] => {
    const value = ownStatic(owner, property)
    if (value === undefined || isWhole(value)) return []
    const message = (wrong: unknown) => `static ${property} has ${describeValue(wrong)}`
    const entries = isPlainRecord(value) ? Object.entries(value) : []
    // The record of a requirement, without the list around it, would be a record of actions. The one of a base class
    // may name actions that only other classes have.
    const isOfSchemes =
      property === 'security' &&
      owner === controllerClass &&
      entries.length > 0 &&
      !entries.some(([name]) => name === '*' || actions.has(name))
    if (isOfSchemes || !isPlainRecord(value)) {
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

/** Returns the names in lists and records that no action has. */
function unknownNames(
  { controllerClass, actions, methods, base }: InspectedClass,
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
  return staticsWithMethods(isService).flatMap((property) =>
    declaredMethods(controllerClass, property).flatMap((method): DeclarationFault[] => {
      const { owner = controllerClass } = inheritedEntry(controllerClass, property, method) ?? {}
      if (isKnown(property, method) || (SHARED.has(property) && owner !== controllerClass)) return []
      const isReserved = base !== null && method in base
      const reason = methods.has(method) ? ', because its name begins with an underscore' : ''
      const near = nearest(method, actions.keys())
      return [
        {
          code: 'static-unknown',
          owner,
          property,
          method,
          message: `static ${property} names "${method}", which is not an action${isReserved ? ', because the base class has a member of this name' : reason}.`,
          fix: near === undefined ? 'Write the method, or correct the name.' : `Did you mean "${near}"?`,
        },
      ]
    }),
  )
}

/** Static properties whose entry for `'*'` holds for all actions. */
const RULES: ReadonlySet<string> = new Set(['crossSite', 'security'])

/** Returns what a class of `sockets` declares and the framework would ignore. */
export function socketFaults(socketClass: ControllerClass): DeclarationFault[] {
  const nothing: RecordContext = { actions: new Map(), isTemplate: () => false, readers: ['sockets'] }
  return [...classesOf(socketClass)].flatMap((owner) => unreadStatics(owner, nothing))
}

/** Actions and templates with which the values of records are compared, and what the class is. */
interface RecordContext {
  readonly actions: ReadonlyMap<string, unknown>
  readonly isTemplate: IsTemplate
  readonly readers: readonly Reader[]
}

function unreadStatics(owner: ControllerClass, context: RecordContext): DeclarationFault[] {
  return Object.getOwnPropertyNames(owner).flatMap((property): DeclarationFault[] => {
    if (OF_FUNCTIONS.has(property)) return []
    const fault = VOCABULARY.has(property) ? misplaced(owner, property, context) : meantBy(owner, property, context)
    return fault === undefined ? [] : [{ code: 'static-unread', owner, property, ...fault }]
  })
}

type Fault = Pick<DeclarationFault, 'message' | 'fix'>

/** Returns what is wrong with a static property that only other kinds of classes read. */
function misplaced(owner: ControllerClass, property: string, context: RecordContext): Fault | undefined {
  const [kinds, readers] = VOCABULARY.get(property) ?? [[], []]
  if (COMMON.has(property) || readers.some((reader) => context.readers.includes(reader))) return undefined
  if (!couldBe(staticValueOf(owner, property, true), kinds, 0, context)) return undefined
  const [kind = 'actions'] = context.readers
  return {
    message: `static ${property} is not read by ${READERS[kind]}.`,
    fix: `It belongs to ${readers.map((reader) => READERS[reader]).join(' and ')}. Move it there, or remove it.`,
  }
}

/** Returns what is wrong with a static property that no class reads. Undefined for an application's own. */
function meantBy(owner: ControllerClass, property: string, context: RecordContext): Fault | undefined {
  const near = [...VOCABULARY]
    .filter(([, [, readers]]) => readers.some((reader) => context.readers.includes(reader)))
    .map(([name, [kinds]]) => ({ name, kinds, distance: distanceOf(property, name) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => Number(a.distance) - Number(b.distance))
  const value = staticValueOf(owner, property, near.length > 0)
  const meant =
    near.find(({ kinds, distance = 0 }) => couldBe(value, kinds, distance, context))?.name ?? recordLike(value, context)
  if (meant === undefined) return undefined
  return { message: `static ${property} is not read.`, fix: `Did you mean static ${meant}?` }
}

/**
 * Returns the number of edits between two names, case and underscores aside. Undefined if they are not near: more
 * than one edit, and more than a third of the letters of the longer one.
 */
function distanceOf(written: string, name: string): number | undefined {
  const [a, b] = [written, name].map((text) => text.replaceAll('_', '').toLowerCase())
  if (a === undefined || b === undefined || Math.abs(a.length - b.length) > b.length) return undefined
  const distance = editDistance(a, b)
  return distance <= Math.max(1, Math.floor(Math.max(a.length, b.length) / 3)) ? distance : undefined
}

/**
 * Returns the value of a static property. A getter runs only if its name is near, as the getter of the right name
 * would.
 */
function staticValueOf(owner: ControllerClass, property: string, runsGetter: boolean): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(owner, property)
  if (descriptor?.get === undefined) return descriptor?.value
  try {
    return runsGetter ? Reflect.get(owner, property) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns true for a value that a declaration of some kinds could have. If the name differs in more than one letter
 * (`images`, `pages`), the value must name an action, list HTTP methods or have a schema too.
 */
function couldBe(value: unknown, kinds: readonly Kind[], distance: number, context: RecordContext): boolean {
  const namesAction = (names: readonly unknown[]): boolean =>
    names.some((name) => typeof name === 'string' && context.actions.has(name))
  if (Array.isArray(value)) {
    const isList = kinds.includes('list')
    return distance <= 1 ? isList || namesAction(value) : isList && (namesAction(value) || value.every(isMethod))
  }
  if (isSchema(value)) return kinds.includes('record')
  if (isPlainRecord(value)) {
    if (!kinds.includes('record')) return false
    return distance <= 1 || namesAction(Object.keys(value)) || Object.values(value).some(hasSchema)
  }
  return kinds.some((kind) => kind === (typeof value === 'string' ? 'text' : typeof value))
}

/**
 * Returns the record that a value looks like: all its keys are actions, and all its values are values of that record.
 */
function recordLike(value: unknown, { actions, isTemplate, readers }: RecordContext): string | undefined {
  if (!isPlainRecord(value) || isSchema(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || !entries.every(([name]) => actions.has(name))) return undefined
  const kinds = new Set(
    entries.map(([, entry]) => {
      if (entry === null) return 'results'
      if (isSchema(entry)) return isBody(entry) ? 'args' : 'results'
      if (typeof entry === 'string') return readers.includes('actions') && isTemplate(entry) ? 'pages' : 'own'
      return isPlainRecord(entry) && isRecordOfSchemas(entry) ? 'args' : 'own'
    }),
  )
  if (kinds.has('own') || entries.every(([, entry]) => entry === null)) return undefined
  return (['args', 'results', 'pages'] as const).find((kind) => kinds.has(kind))
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function isRecordOfSchemas(value: Record<string, unknown>): boolean {
  const members = Object.values(value)
  return members.length > 0 && members.every(isSchema)
}

function isMethod(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Z]+$/.test(value)
}

function hasSchema(value: unknown): boolean {
  return isSchema(value) || (isPlainRecord(value) && Object.values(value).some(isSchema))
}

/** Returns the arguments in `static args` that have no schema, or none that can be used. */
function malformedArguments(controllerClass: ControllerClass, isService: boolean): DeclarationFault[] {
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
): (Fault & Pick<DeclarationFault, 'code'>) | undefined {
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
