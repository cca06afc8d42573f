/**
 * Registers types of an application with the compiler:
 *
 * - `map`: its mapper. The compiler checks `this.url` and redirects in its controllers.
 * - `messages`: a JSON file of its messages. The compiler checks the keys of `this.t`. `propylon check` registers
 *   their values as well, as `messageValues`.
 * - `environ`: the keys of the environ that its middleware and hooks set, with the types of their values.
 *
 * @example
 * ```ts
 * import { Mapper } from 'propylon'
 *
 * export const map = new Mapper().connect('home', '/').resource('user', 'users')
 *
 * declare module 'propylon' {
 *   interface Register {
 *     map: typeof map
 *     environ: { 'shop.customer'?: { readonly name: string } }
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications add their types, which a type alias does not allow.
export interface Register {}

/** The keys of the environ that an application has registered, or none. */
export type RegisteredEnviron = Register extends { environ: infer Keys extends object } ? Keys : object
