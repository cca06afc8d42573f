/**
 * Values in error messages.
 *
 * @module
 */

/**
 * Describes a value for an error message, on one line: a string is quoted, escaped and cut, a number or boolean is
 * written out, an object is named by its class.
 *
 * @param max - characters of a string that are kept. Default 80.
 */
export function describeValue(value: unknown, max = 80): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > max ? `${value.slice(0, max)}…` : value)
    case 'function':
      return `the function ${value.name || '(without a name)'}`
    case 'symbol':
      return 'a symbol'
    case 'object':
      break
    default:
      return String(value)
  }
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if ('then' in value) return 'a promise'
  const named: unknown = value.constructor
  const name = typeof named === 'function' ? named.name : ''
  return name === '' || name === 'Object' ? 'an object' : `an instance of ${name}`
}
