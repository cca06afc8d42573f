import { similar } from '../text/suggest.ts'
import { describeValue } from '../wsgi/describe.ts'

/** The test of an option's value, and the values that pass it in words: "a number of seconds above 0". */
export type OptionRule = readonly [isValid: (value: unknown) => boolean, expected: string]

/**
 * Checks the options of a middleware when it is created. An option that is undefined counts as absent.
 *
 * @param middleware - name of the function, for error messages.
 * @throws TypeError - an option is unknown or has a wrong value.
 */
export function checkOptions(
  middleware: string,
  options: object,
  rules: Readonly<Record<string, OptionRule>>,
): void {
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) throw new TypeError(unknownOption(middleware, name, Object.keys(rules)))
    const [isValid, expected] = rule
    if (value !== undefined && !isValid(value)) {
      throw new TypeError(`${middleware}(): the option ${name} is ${describeValue(value)}. Pass ${expected}.`)
    }
  }
}

function unknownOption(middleware: string, name: string, known: readonly string[]): string {
  const meant = similar(name, known)
  const fix = meant === undefined ? `Its options are ${known.join(', ')}.` : `Did you mean ${meant}?`
  return `${middleware}() has no option ${describeValue(name)}. ${fix}`
}

export const isFunction = (value: unknown): boolean => typeof value === 'function'
export const isString = (value: unknown): value is string => typeof value === 'string'
export const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
