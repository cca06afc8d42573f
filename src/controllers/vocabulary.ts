/**
 * The static properties by which controllers declare something: their vocabulary, and its check when a class is loaded.
 *
 * A property that nothing reads would be ignored in silence, and `static result` would send what the schema of
 * `static results` removes. So the vocabulary is closed: a property that is nearly one of it, or whose value looks
 * like a record of actions, is an error.
 *
 * @module
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isRecord } from '../base/record.ts'
import { editDistance } from '../base/suggest.ts'
import { isBody } from '../http/converters/body-argument.ts'
import { schemaName } from '../http/converters/converter.ts'
import { takesObjectsOrNull } from '../http/converters/json-schema.ts'
import { isSchema } from '../http/converters/schema.ts'
import type { ControllerClass } from './class-methods.ts'
import { DEFAULT_ALLOW, declaredMethods, inheritedEntry, STATIC_RULES } from './statics.ts'

/** Kinds of values of static properties. */
type Kind = 'record' | 'list' | 'text' | 'number' | 'boolean'

/** Records with an entry for each action or procedure. `publicNames` and `signatures` belong to services. */
export const STATIC_RECORDS = [
  'args',
  'crossSite',
  'pages',
  'prompts',
  'publicNames',
  'results',
  'security',
  'signatures',
  'statuses',
] as const

/** Lists of names of actions. */
export const STATIC_LISTS = ['deprecated', 'resources', 'tools'] as const

/** The static properties of all controllers, with the kinds of their values. */
const OF_CONTROLLERS: ReadonlyMap<string, readonly Kind[]> = new Map<string, readonly Kind[]>([
  ['allow', ['list']],
  ['args', ['record']],
  ['crossSite', ['record', 'text']],
  ['deprecated', ['list']],
  ['description', ['text']],
  ['pages', ['record']],
  ['prompts', ['record']],
  ['resources', ['list', 'record']],
  ['results', ['record']],
  ['security', ['list', 'record']],
  ['statuses', ['record']],
  ['tools', ['list', 'record']],
])

/** The static properties that services have in addition. */
const OF_SERVICES: ReadonlyMap<string, readonly Kind[]> = new Map<string, readonly Kind[]>([
  ['allowNil', ['boolean']],
  ['batchBytes', ['number']],
  ['batchLimit', ['number']],
  ['booleanWords', ['boolean']],
  ['browsable', ['boolean']],
  ['faces', ['list']],
  ['i8', ['boolean']],
  ['keepDoubles', ['boolean']],
  ['max_body_length', ['number']],
  ['multicall', ['boolean']],
  ['multicallLimit', ['number']],
  ['publicNames', ['record']],
  ['securitySchemes', ['record']],
  ['signatures', ['record']],
  ['title', ['text']],
  ['version', ['text']],
])

/** The static properties that services do not have: their methods are tools by the face `mcp`, and show no pages. */
const OF_ACTIONS: readonly string[] = ['pages', 'prompts', 'resources', 'statuses', 'tools']

/** The static properties of classes of `sockets`. */
const OF_SOCKETS: ReadonlyMap<string, readonly Kind[]> = new Map<string, readonly Kind[]>([
  ['maxMessage', ['number']],
])

/** Own properties of every class. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(['length', 'name', 'prototype'])

/** Returns true for a static property that some controller may declare. */
export function isDeclaration(name: string): boolean {
  return OF_CONTROLLERS.has(name) || OF_SERVICES.has(name)
}

/** A declaration that the framework would ignore. */
export interface DeclarationFault {
  readonly kind: 'unread' | 'object' | 'value' | 'name'
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
 * A class declares something that the framework would ignore. Nothing of the class is served.
 *
 * It is the cause of a ControllerLoadError.
 */
export class DeclarationError extends TypeError {
  readonly controllerClass: ControllerClass
  readonly faults: readonly DeclarationFault[]

  constructor(controllerClass: ControllerClass, faults: readonly DeclarationFault[]) {
    super(
      faults.map(({ owner, message, fix }) => `${owner.name || 'Controller'}: ${message} ${fix}`).join('\n'),
    )
    this.controllerClass = controllerClass
    this.faults = faults
  }
}

/** Returns true if a template of a name exists, as far as that is known. */
export type IsTemplate = (name: string) => boolean

/** The application's own classes of a controller. */
export interface InspectedClass {
  readonly controllerClass: ControllerClass
  /** The public methods by name. */
  readonly actions: ReadonlyMap<string, unknown>
  /** Prototype of the framework's class that they extend. */
  readonly base: object | null
}

/** Returns what a class declares and the framework would ignore. The classes that it extends are included. */
export function declarationFaults(inspected: InspectedClass, isTemplate: IsTemplate): DeclarationFault[] {
  const { controllerClass } = inspected
  const isService = DEFAULT_ALLOW in controllerClass
  const vocabulary = isService ? new Map([...OF_CONTROLLERS, ...OF_SERVICES]) : OF_CONTROLLERS
  const record = { actions: inspected.actions, isTemplate, isService }
  const classes = ownClasses(inspected)
  return [
    ...classes.flatMap((owner) => unreadStatics(owner, vocabulary, isDeclaration, record)),
    ...classes.flatMap((owner) => malformedRules(owner, inspected.actions)),
    ...(isService ? classes.flatMap(staticsOfActions) : objectArguments(controllerClass)),
  ]
}

function staticsOfActions(owner: ControllerClass): DeclarationFault[] {
  return OF_ACTIONS.filter((property) => Object.hasOwn(owner, property)).map((property) => {
    const message = `static ${property} is not read: a service has procedures, and no actions.`
    return { kind: 'unread', owner, property, message, fix: 'Remove it.' }
  })
}

/** Returns the static properties of a class that are neither a rule for all actions nor a record of rules. */
function malformedRules(owner: ControllerClass, actions: InspectedClass['actions']): DeclarationFault[] {
  return Object.entries(STATIC_RULES).flatMap(([property, { isRule, fix }]): DeclarationFault[] => {
    const value: unknown = Object.hasOwn(owner, property) ? Reflect.get(owner, property) : undefined
    if (value === undefined || isRule(value)) return []
    const entries = isPlainRecord(value) ? Object.entries(value) : []
    // The record of a requirement, without the list around it, would be a record of actions.
    const isOfSchemes =
      property === 'security' &&
      entries.length > 0 &&
      !entries.some(([name]) => name === '*' || actions.has(name))
    const isWhole = isOfSchemes || !isPlainRecord(value)
    const [method, wrong] = isWhole ? ['', value] : (entries.find(([, rule]) => !isRule(rule)) ?? [])
    if (method === undefined) return []
    const place = method === '' ? '' : ` for "${method}"`
    const message = `static ${property} has ${describeValue(wrong)}${place}.`
    return [{ kind: 'value', owner, property, ...(method !== '' && { method }), message, fix }]
  })
}

/** Returns the static properties whose names are near a static property of a class of `sockets`. */
export function socketFaults(socketClass: ControllerClass): DeclarationFault[] {
  const nothing = { actions: new Map(), isTemplate: () => false, isService: false }
  return ownClasses({ controllerClass: socketClass, base: null }).flatMap((owner) =>
    unreadStatics(owner, OF_SOCKETS, (name) => OF_SOCKETS.has(name), nothing),
  )
}

/** Returns a class and those that it extends, up to the framework's. */
function ownClasses({ controllerClass, base }: Omit<InspectedClass, 'actions'>): ControllerClass[] {
  const classes: ControllerClass[] = []
  let owner: unknown = controllerClass
  while (isClass(owner) && owner !== base?.constructor) {
    classes.push(owner)
    owner = Object.getPrototypeOf(owner)
  }
  return classes
}

function isClass(value: unknown): value is ControllerClass {
  return typeof value === 'function' && value !== Function.prototype
}

/** Actions and templates with which the values of records are compared. */
interface RecordContext {
  readonly actions: ReadonlyMap<string, unknown>
  readonly isTemplate: IsTemplate
  readonly isService: boolean
}

function unreadStatics(
  owner: ControllerClass,
  vocabulary: ReadonlyMap<string, readonly Kind[]>,
  isRead: (name: string) => boolean,
  context: RecordContext,
): DeclarationFault[] {
  return Object.getOwnPropertyNames(owner).flatMap((property): DeclarationFault[] => {
    if (OF_FUNCTIONS.has(property) || isRead(property)) return []
    const meant = meantBy(owner, property, vocabulary, context)
    if (meant === undefined) return []
    const message = `static ${property} is not read.`
    return [{ kind: 'unread', owner, property, message, fix: `Did you mean static ${meant}?` }]
  })
}

/** Returns the declaration that a static property was probably meant to be. Undefined for an application's own. */
function meantBy(
  owner: ControllerClass,
  property: string,
  vocabulary: ReadonlyMap<string, readonly Kind[]>,
  context: RecordContext,
): string | undefined {
  const near = [...vocabulary]
    .map(([name, kinds]) => ({ name, kinds, distance: distanceOf(property, name) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => Number(a.distance) - Number(b.distance))
  const value = staticValueOf(owner, property, near.length > 0)
  const meant = near.find(({ kinds, distance = 0 }) => couldBe(value, kinds, distance, context))
  return meant?.name ?? recordLike(value, context)
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
    return distance <= 1
      ? isList || namesAction(value)
      : isList && (namesAction(value) || value.every(isMethod))
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
function recordLike(value: unknown, { actions, isTemplate, isService }: RecordContext): string | undefined {
  if (!isPlainRecord(value) || isSchema(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || !entries.every(([name]) => actions.has(name))) return undefined
  const kinds = new Set(
    entries.map(([, entry]) => {
      if (entry === null) return 'results'
      if (isSchema(entry)) return isBody(entry) ? 'args' : 'results'
      if (typeof entry === 'string') return !isService && isTemplate(entry) ? 'pages' : 'own'
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

/** Returns the entries of `static args` that are schemas of objects without `body()`. A prompt has no body. */
function objectArguments(controllerClass: ControllerClass): DeclarationFault[] {
  const prompts = declaredMethods(controllerClass, 'prompts')
  return declaredMethods(controllerClass, 'args').flatMap((method): DeclarationFault[] => {
    const entry = inheritedEntry(controllerClass, 'args', method)
    if (entry === undefined || !isRecord(entry.value) || prompts.includes(method)) return []
    return Object.entries(entry.value).flatMap(([argument, schema]): DeclarationFault[] => {
      if (!isSchema(schema) || isBody(schema) || !takesObjectsOrNull(schema)) return []
      return [objectArgument(entry.owner as ControllerClass, method, argument, schema)]
    })
  })
}

function objectArgument(
  owner: ControllerClass,
  method: string,
  argument: string,
  schema: StandardSchemaV1,
): DeclarationFault {
  return {
    kind: 'object',
    owner,
    property: 'args',
    method,
    argument,
    message: `static args has a schema of an object (${schemaName(schema)}) for "${argument}" of ${method}(), which is read from the query, and a query has no objects.`,
    fix: `For the body of the request write { ${method}: { ${argument}: body(…) } }, with body of propylon/converters.`,
  }
}
