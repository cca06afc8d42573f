/**
 * The rules for `wsgi.input` and `wsgi.errors`, and the wrappers that check by them.
 *
 * @module
 */
import type { ErrorStream, InputStream } from '../types.ts'
import { found, section } from './rule.ts'

/** How the application uses the streams of the environ. */
export const streamUseRules = section(
  'Reading and logging',
  '`wsgi.input` is the request body; each byte is read once, and whoever does not want it leaves it alone. ' +
    '`wsgi.errors` is where errors are logged.',
  'application',
  {
    'read-size': [
      '`wsgi.input.read` takes a whole number of bytes, or nothing at all.',
      'Convert what came as text with Number() and check it.',
    ],
    'readline-arguments': ['`wsgi.input.readline` takes no arguments.', 'Leave them out.'],
    'errors-text': [
      '`wsgi.errors.write` takes one string.',
      'Turn the error into text, for instance with its stack.',
    ],
  },
)

/** What the server's streams deliver. */
export const streamRules = section('What the streams deliver', '', 'server', {
  'input-bytes': [
    '`wsgi.input` delivers Uint8Arrays: as the promises of `read` and `readline`, and when it is iterated.',
    'Encode text as UTF-8; deliver an empty array at the end.',
  ],
  'input-size': ['`read(size)` delivers no more than `size` bytes.', 'Keep the rest for the next read.'],
})

const use = streamUseRules.rules
const deliver = streamRules.rules

/** A `wsgi.input` that checks both sides. */
export class LintedInput implements InputStream {
  readonly #input: InputStream

  constructor(input: InputStream) {
    this.#input = input
  }

  async read(...args: [size?: number]): Promise<Uint8Array> {
    const [size] = args
    if (args.length > 1 || (size !== undefined && !Number.isInteger(size))) {
      throw use['read-size'].error(args.length > 1 ? `${args.length} arguments` : found(size))
    }
    const bytes = checkedBytes(await this.#input.read(...args))
    if (size !== undefined && size >= 0 && bytes.byteLength > size) {
      throw deliver['input-size'].error(`${bytes.byteLength} bytes for read(${size})`)
    }
    return bytes
  }

  async readline(...args: []): Promise<Uint8Array> {
    const given: readonly unknown[] = args
    if (given.length > 0) throw use['readline-arguments'].error(`${given.length} arguments`)
    return checkedBytes(await this.#input.readline())
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of this.#input) yield checkedBytes(bytes)
  }

  get stream(): ReadableStream<Uint8Array> {
    return this.#input.stream
  }
}

/** A `wsgi.errors` that checks what is written. */
export class LintedErrors implements ErrorStream {
  readonly #errors: ErrorStream

  constructor(errors: ErrorStream) {
    this.#errors = errors
  }

  write(...args: [text: string]): void {
    const given: readonly unknown[] = args
    if (given.length !== 1 || typeof given[0] !== 'string') {
      throw use['errors-text'].error(given.length === 1 ? found(given[0]) : `${given.length} arguments`)
    }
    this.#errors.write(...args)
  }

  flush(): void {
    this.#errors.flush()
  }
}

function checkedBytes(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw deliver['input-bytes'].error(found(bytes))
  return bytes
}
