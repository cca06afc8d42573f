/** Reads the nested values that the names of form fields describe. */
import { requireLimit } from '../base/limit.ts'
import type { FormFile } from './body/files.ts'
import type { Form } from './body/form.ts'
import { worded } from './error-texts.ts'
import type { QueryParams } from './query.ts'
import { HTTPBadRequest } from './status-exceptions.ts'

/** A text, a file, or an object or array of them. */
export type NestedValue = string | FormFile | NestedValue[] | NestedValues

/** Values by name. The object has no prototype. */
export interface NestedValues {
  [name: string]: NestedValue
}

/** Options of {@link nested}. */
export interface NestedOptions {
  /** Maximum number of objects and arrays around a value. Exceeding it is 400. Default 8. */
  readonly depth?: number
  /** Maximum number of fields and files. Exceeding it is 400. Default 1000. */
  readonly fields?: number
}

/** An object or array that is being read. */
interface Branch {
  readonly members: Map<string | number, Branch | string | FormFile>
  /** Whether the names number the members. Undefined for the root, which is an object. */
  readonly isList: boolean
}

/**
 * Reads nested values from the names of form fields: `books-0.title` as FormEncode writes it, `books[0][title]` as
 * Rails, PHP and qs do, `tags[]` for each element of a list, and `users[][name]` for records: a name that the last
 * record has begins another one.
 *
 * The numbers of a list order its elements and may have gaps. A repeated name has its first value, except `tags[]`. A
 * name that follows neither grammar is a key as it is. Names such as `__proto__` are keys as others.
 *
 * @param form - a form with its files, or a query.
 * @throws HTTPBadRequest - a limit is exceeded, or two names contradict each other, such as `book` and `book.title`.
 * @throws RangeError - an option is not a number.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 * import { nested } from 'propylon/http'
 *
 * export class ShelvesController extends WSGIController {
 *   async create() {
 *     const { books } = nested(await this.request.form()) // [{ title: 'Emma' }] of books-0.title=Emma
 *     return { books }
 *   }
 * }
 * ```
 */
export function nested(form: QueryParams | Form, options: NestedOptions = {}): NestedValues {
  const { depth = 8, fields = 1000 } = options
  requireLimit('nested(): depth', depth)
  requireLimit('nested(): fields', fields)
  const files = 'files' in form ? form.files : []
  if (form.size + files.length > fields) throw worded(HTTPBadRequest, 'propylon.form.fields', { limit: fields })
  const root: Branch = { members: new Map(), isList: false }
  for (const [name, value] of form) add(root, name, fieldPath(name), value, depth)
  for (const file of files) add(root, file.name, filePath(file), file, depth)
  return objectOf(root)
}

function add(root: Branch, name: string, path: readonly Step[], value: string | FormFile, depth: number): void {
  if (path.length > depth) throw worded(HTTPBadRequest, 'propylon.form.depth', { limit: depth })
  let place = root
  for (const [index, step] of path.entries()) {
    if (place.isList !== (typeof step !== 'string')) throw contradiction(name)
    const key = step === APPEND ? appendedIndex(place, path.slice(index + 1)) : step
    const known = place.members.get(key)
    const next = path[index + 1]
    if (next === undefined) {
      if (known === undefined) place.members.set(key, value)
      else if (isBranch(known)) throw contradiction(name)
      return
    }
    if (known !== undefined && !isBranch(known)) throw contradiction(name)
    place = known ?? addBranch(place, key, next)
  }
}

function addBranch(place: Branch, key: string | number, next: Step): Branch {
  const branch: Branch = { members: new Map(), isList: typeof next !== 'string' }
  place.members.set(key, branch)
  return branch
}

/**
 * Returns the index of the element that a name with `[]` means: one behind all others, or for `users[][name]` the
 * last one if it lacks the name, as in Rails.
 */
function appendedIndex({ members }: Branch, rest: readonly Step[]): number {
  const last = members.get(FIRST_APPENDED + members.size - 1)
  return FIRST_APPENDED + members.size - (last === undefined || isTaken(last, rest) ? 0 : 1)
}

/** Returns true if there is a value at the end of a path. */
function isTaken(value: Branch | string | FormFile, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined || step === APPEND || !isBranch(value)) return true
  const member = value.members.get(step)
  return member !== undefined && isTaken(member, rest)
}

/** An index that no name has: their numbers have at most nine digits. */
const FIRST_APPENDED = 1e9

function isBranch(value: Branch | string | FormFile): value is Branch {
  return typeof value === 'object' && 'members' in value
}

function contradiction(name: string): HTTPBadRequest {
  return worded(HTTPBadRequest, 'propylon.form.contradiction', { field: JSON.stringify(name.slice(0, 100)) })
}

function objectOf({ members }: Branch): NestedValues {
  const values: NestedValues = Object.create(null)
  for (const [key, value] of members) values[key] = nestedValue(value)
  return values
}

function nestedValue(value: Branch | string | FormFile): NestedValue {
  if (!isBranch(value)) return value
  if (!value.isList) return objectOf(value)
  const elements = [...value.members].sort(([one], [other]) => Number(one) - Number(other))
  return elements.map(([, element]) => nestedValue(element))
}

/** The end of a list, as in `tags[]`. */
const APPEND = Symbol('[]')

/** A member of an object by its name, an element of a list by its number, or a further element. */
type Step = string | number | typeof APPEND

/** The part up to a dot: a name, then brackets. Sticky, so that a long name is read in linear time. */
const PART = /([^.[\]]+)((?:\[[^[\]]*\])*)(?:\.(?=.)|$)/sy
const NUMBERED = /^([^-]+)-(\d{1,9})$/
const INDEX = /^\d{1,9}$/

/**
 * Returns the steps of a field name. A name that follows neither grammar is a single step.
 *
 * @param name - for instance `books-0.title`, `books[0][title]` or `tags[]`.
 */
function fieldPath(name: string): readonly Step[] {
  const steps: Step[] = []
  for (let at = 0; at < name.length; at = PART.lastIndex) {
    PART.lastIndex = at
    const [, front, brackets = ''] = PART.exec(name) ?? []
    if (front === undefined) return [name]
    const [, list = front, index] = NUMBERED.exec(front) ?? []
    steps.push(list)
    if (index !== undefined) steps.push(Number(index))
    for (const [, key = ''] of brackets.matchAll(/\[([^[\]]*)\]/g)) {
      steps.push(key === '' ? APPEND : INDEX.test(key) ? Number(key) : key)
    }
  }
  return steps.length > 0 ? steps : [name]
}

/**
 * Returns the steps of the name of a file. `users[][photo]` is a key as it is: a form does not keep the order of its
 * files and its texts, so the file could be given to another user.
 */
function filePath({ name }: FormFile): readonly Step[] {
  const steps = fieldPath(name)
  return steps.slice(0, -1).includes(APPEND) ? [name] : steps
}
