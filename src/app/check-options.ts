import { describeValue } from '../base/describe.ts'
import { unknownOption } from '../base/suggest.ts'
import { isToken } from '../wsgi/response-head.ts'

/** The test of an option's value, and the values that pass it in words: "a number of seconds above 0". */
export type OptionRule = readonly [isValid: (value: unknown) => boolean, expected: string]

/**
 * Checks options when they are given. An option that is undefined counts as absent.
 *
 * @param place - the function or option to which they belong, for error messages: `limit()`.
 * @param required - names of the options that must be given.
 * @throws TypeError - an option is missing or unknown, or has a wrong value.
 */
export function checkOptions(
  place: string,
  options: object,
  rules: Readonly<Record<string, OptionRule>>,
  required: readonly string[] = [],
): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) throw new TypeError(unknownOption(place, name, Object.keys(rules)))
    const [isValid, expected] = rule
    if (value !== undefined && !isValid(value)) {
      throw new TypeError(`${place}: the option ${name} is ${describeValue(value)}. Pass ${expected}.`)
    }
  }
  for (const name of required) {
    if (Reflect.get(options, name) !== undefined) continue
    throw new TypeError(`${place} requires the option ${name}. Pass ${rules[name]?.[1]}.`)
  }
}

/** The rule of an option whose value is checked elsewhere. */
export const anything: OptionRule = [() => true, 'any value']

export const isFunction = (value: unknown): boolean => typeof value === 'function'
export const isString = (value: unknown): value is string => typeof value === 'string'
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Returns the rule of an option with fixed values. */
export function oneOf(values: readonly (string | boolean)[]): OptionRule {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return [(value) => values.some((one) => one === value), `one of ${quoted.join(', ')}`]
}

/** The rule of a time that may be 0. */
export const seconds: OptionRule = [
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a whole number of seconds from 0',
]

/** The rule of a list of header names. */
export const headerNames: OptionRule = [isTokens, "a list of header names, such as ['X-Total']"]

/** The rule of a list of methods, which are case-sensitive (RFC 9110 §9.1). */
export const methodNames: OptionRule = [
  (value) => isTokens(value) && value.every((one) => one === one.toUpperCase()),
  "a list of methods in upper case, such as ['GET', 'POST']",
]

function isTokens(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && isToken(one))
}
