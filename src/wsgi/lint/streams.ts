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

/** A `wsgi.input` that checks the application and the server. */
export class LintedInput implements InputStream {
  readonly #input: InputStream

  constructor(input: InputStream) {
    this.#input = input
  }

  async read(...args: [size?: number]): Promise<Uint8Array> {
    const [size] = args
    if (args.length > 1 || (size !== undefined && !Number.isInteger(size))) {
      throw use['read-size'].error(args.length > 1 ? `${args.length} arguments` : describeValue(size))
    }
    const bytes = checkedBytes(await this.#input.read(...args))
    if (size !== undefined && size >= 0 && bytes.byteLength > size) {
      throw provide['input-size'].error(`${bytes.byteLength} bytes for read(${size})`)
    }
    return bytes
  }

  async readline(...args: []): Promise<Uint8Array> {
    const list: readonly unknown[] = args
    if (list.length > 0) throw use['readline-arguments'].error(`${list.length} arguments`)
    return checkedBytes(await this.#input.readline())
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of this.#input) yield checkedBytes(bytes)
  }

  get stream(): ReadableStream<Uint8Array> {
    return this.#input.stream
  }
}

/** A `wsgi.errors` that checks the arguments of `write`. */
export class LintedErrors implements ErrorStream {
  readonly #errors: ErrorStream

  constructor(errors: ErrorStream) {
    this.#errors = errors
  }

  write(...args: [text: string]): void {
    const list: readonly unknown[] = args
    if (list.length !== 1 || typeof list[0] !== 'string') {
      throw use['errors-text'].error(list.length === 1 ? describeValue(list[0]) : `${list.length} arguments`)
    }
    this.#errors.write(...args)
  }

  flush(): void {
    this.#errors.flush()
  }
}

function checkedBytes(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw provide['input-bytes'].error(describeValue(bytes))
  return bytes
}
