/**
 * Rules for `wsgi.input` and `wsgi.errors`, and the wrappers that check them.
 *
 * @module
 */

import { describeValue } from '../../base/describe.ts'
import type { ErrorStream, InputStream } from '../types.ts'
import { section } from './rule.ts'

/** Rules for applications that read and log. */
export const streamUseRules = section(
  'Reading and logging',
  '`wsgi.input` is the request body. An application reads each byte once, or leaves the body unread. ' +
    '`wsgi.errors` is the error log.',
  'application',
  {
    'read-size': [
      '`wsgi.input.read` takes an integer, or no argument.',
      'Convert text with Number() and check the result.',
    ],
    'readline-arguments': ['`wsgi.input.readline` takes no arguments.', 'Remove the arguments.'],
    'errors-text': ['`wsgi.errors.write` takes one string.', 'Convert the error to text: error.stack.'],
  },
)

/** Rules for servers that provide the streams. */
export const streamRules = section('Providing the streams', '', 'server', {
  'input-bytes': [
    '`wsgi.input` provides Uint8Arrays: from `read` and `readline`, which return promises, and when it is iterated.',
    'Encode text as UTF-8. Return an empty array at the end.',
  ],
  'input-size': ['`read(size)` returns at most `size` bytes.', 'Keep the rest for the next read.'],
})

const use = streamUseRules.rules
const provide = streamRules.rules

/** Returns a `wsgi.input` that checks the application and the server. */
export function lintInput(input: InputStream): InputStream {
  return {
    async read(...args: [size?: number]) {
      const [size] = args
      if (args.length > 1 || (size !== undefined && !Number.isInteger(size))) {
        throw use['read-size'].error(args.length > 1 ? `${args.length} arguments` : describeValue(size))
      }
      const bytes = checkedBytes(await input.read(...args))
      if (size !== undefined && size >= 0 && bytes.byteLength > size) {
        throw provide['input-size'].error(`${bytes.byteLength} bytes for read(${size})`)
      }
      return bytes
    },

    async readline(...args: readonly unknown[]) {
      if (args.length > 0) throw use['readline-arguments'].error(`${args.length} arguments`)
      return checkedBytes(await input.readline())
    },

    async *[Symbol.asyncIterator]() {
      for await (const bytes of input) yield checkedBytes(bytes)
    },

    get stream() {
      return input.stream
    },
  }
}

/** Returns a `wsgi.errors` that checks the arguments of `write`. */
export function lintErrors(errors: ErrorStream): ErrorStream {
  return {
    write(...args: readonly unknown[]) {
      const [text] = args
      if (args.length !== 1 || typeof text !== 'string') {
        throw use['errors-text'].error(args.length === 1 ? describeValue(text) : `${args.length} arguments`)
      }
      errors.write(text)
    },
    flush: () => errors.flush(),
  }
}

function checkedBytes(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw provide['input-bytes'].error(describeValue(bytes))
  return bytes
}
