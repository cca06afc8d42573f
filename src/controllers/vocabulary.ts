/**
 * The static properties by which controllers declare something: their vocabulary, and its check when a class is loaded.
 *
 * A property that nothing reads would be ignored in silence, and `static result` would send what the schema of
 * `static results` removes. So the vocabulary is closed: a property that is nearly one of it, or whose value looks
 * like a record of actions, is an error.
 *
 * @module
 */
import { editDistance } from '../base/suggest.ts'
import { isBody } from '../http/converters/body-argument.ts'
import { isSchema } from '../http/converters/schema.ts'
import type { ControllerClass } from './class-methods.ts'
import {
  type DeclarationFault,
  type InspectedClass,
  isPlainRecord,
  malformedArguments,
  malformedStatics,
  unknownNames,
} from './declaration-faults.ts'
import { classesOf, DEFAULT_ALLOW } from './statics.ts'

/** Kinds of values of static properties. */
type Kind = 'record' | 'list' | 'text' | 'number' | 'boolean'

/**
 * Kinds of classes that read static properties: controllers with actions, services, other classes with `__call__`, and
 * classes of `sockets`.
 */
type Reader = 'actions' | 'services' | 'applications' | 'sockets'

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
  ['allowNil', [['boolean'], ['services']]],
  ['batchBytes', [['number'], ['services']]],
  ['batchLimit', [['number'], ['services']]],
  ['booleanWords', [['boolean'], ['services']]],
  ['browsable', [['boolean'], ['services']]],
  ['faces', [['list'], ['services']]],
  ['i8', [['boolean'], ['services']]],
  ['keepDoubles', [['boolean'], ['services']]],
  ['max_body_length', [['number'], ['services']]],
  ['multicall', [['boolean'], ['services']]],
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
  applications: 'classes with __call__',
  sockets: 'classes of sockets',
}

/** Own properties of every class. */
const OF_FUNCTIONS: ReadonlySet<string> = new Set(['length', 'name', 'prototype'])

/** Returns true if a template of a name exists, as far as that is known. */
export type IsTemplate = (name: string) => boolean

/** Returns what is wrong with the declarations of a class. The classes that it extends are included. */
export function declarationFaults(inspected: InspectedClass, isTemplate: IsTemplate): DeclarationFault[] {
  const { controllerClass, actions, base } = inspected
  const readers = readersOf(controllerClass, base)
  const context: RecordContext = { actions, isTemplate, readers }
  const classes = [...classesOf(controllerClass, base?.constructor)]
  const faults = classes.flatMap((owner) => [...unreadStatics(owner, context), ...malformedStatics(owner, inspected)])
  if (readers.includes('applications')) return faults
  const isService = readers.includes('services')
  const malformed = faults.filter(({ method }) => method === undefined).map(({ property }) => property)
  const unknown = unknownNames(inspected, staticsWithMethods(isService), isService).filter(
    ({ property }) => !malformed.includes(property),
  )
  return [...faults, ...unknown, ...malformedArguments(controllerClass, isService)]
}

function readersOf(controllerClass: ControllerClass, base: object | null): readonly Reader[] {
  if (base === null || base === Object.prototype) return ['applications']
  return [DEFAULT_ALLOW in controllerClass ? 'services' : 'actions']
}

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
