/**
 * Types of session values.
 *
 * @module
 */

/** A value of a session: any JSON value. */
export type SessionValue = string | number | boolean | null | SessionValue[] | { [key: string]: SessionValue }

/** Values of a session by name, as a store keeps them. */
export type SessionValues = Readonly<Record<string, SessionValue>>

/**
 * Types of an application's session values by name. Once it has members, the compiler checks the names and types that
 * `get` and `set` are called with. Until then every name is allowed and every value is a {@link SessionValue}.
 *
 * @example
 * ```ts
 * import { WSGIController } from 'propylon'
 *
 * declare module 'propylon' {
 *   interface SessionData {
 *     user: string
 *   }
 * }
 *
 * export class HomeController extends WSGIController {
 *   index() {
 *     const user: string | undefined = this.session.get('user')
 *     return `Hello, ${user ?? 'stranger'}!`
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications add their values, which a type alias does not allow.
export interface SessionData {}

/** Names of session values: those in {@link SessionData} and the token of forms, or any if it has none. */
export type SessionName = [keyof SessionData] extends [never]
  ? string
  : (keyof SessionData & string) | '_authentication_token'

/** Type of the value with this name. */
export type SessionValueOf<Name extends string> = Name extends keyof SessionData ? SessionData[Name] : SessionValue
