/** Outcomes of actions that create or change something: a redirect for browsers, the value for programs. */
import { formatLocation } from '../http/exceptions.ts'

/**
 * The result of {@link created} and {@link done}.
 *
 * @typeParam Value - the value that programs receive; `undefined` if there is none.
 *
 * @example
 * ```ts
 * import { created, type Outcome } from 'propylon'
 *
 * export function storeNote(text: string): Outcome<{ text: string }> {
 *   return created('/notes/1', { text })
 * }
 * ```
 */
export class Outcome<Value = unknown> {
  readonly kind: 'created' | 'done'
  /** Encoded for a Location field. */
  readonly location: string
  /** The value for programs. Undefined if there is none. */
  readonly value: Value

  constructor(kind: 'created' | 'done', location: string | URL, value: Value) {
    this.kind = kind
    this.location = formatLocation(String(location))
    this.value = value
  }
}

/**
 * Returns the outcome of an action that has created something.
 *
 * Browsers receive 303 See Other to the location. Programs receive 201 Created with `Location` and the value as JSON,
 * without a body if there is no value. A program is a client that prefers JSON, or sends JSON and does not prefer
 * HTML. The value is converted by the schema that `static results` has for the action.
 *
 * @see docs/reference/return-values.md
 * @param location - URL of what was created: `this.url('book', { id })`.
 * @throws TypeError - the location is empty or has control characters.
 *
 * @see docs/guides/forms.md
 * @example
 * ```ts
 * import { created, WSGIController } from 'propylon'
 *
 * const notes: string[] = []
 *
 * export class NotesController extends WSGIController {
 *   async create() {
 *     const text = (await this.request.form()).get('text') ?? ''
 *     return created(`/notes/${notes.push(text)}`, { text })
 *   }
 * }
 * ```
 */
export function created(location: string | URL): Outcome<undefined>
export function created<Value>(location: string | URL, value: Value): Outcome<Value>
export function created(location: string | URL, value?: unknown): Outcome {
  return new Outcome('created', location, value)
}

/**
 * Returns the outcome of an action that has changed or removed something.
 *
 * Browsers receive 303 See Other to the location. Programs receive 200 with the value as JSON, or 204 No Content if
 * there is no value. The value is converted by the schema that `static results` has for the action.
 *
 * @see docs/reference/return-values.md
 * @param location - URL of the page that browsers see next.
 * @throws TypeError - the location is empty or has control characters.
 *
 * @example
 * ```ts
 * import { done, WSGIController } from 'propylon'
 *
 * const notes = new Map([['1', 'Buy tea']])
 *
 * export class NotesController extends WSGIController {
 *   delete(id: string) {
 *     notes.delete(id)
 *     return done('/notes')
 *   }
 * }
 * ```
 */
export function done(location: string | URL): Outcome<undefined>
export function done<Value>(location: string | URL, value: Value): Outcome<Value>
export function done(location: string | URL, value?: unknown): Outcome {
  return new Outcome('done', location, value)
}
