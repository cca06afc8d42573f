/**
 * The first field of a form, read before the rest of the form has arrived.
 *
 * @module
 */
import { concatBytes } from '../base/bytes.ts'
import { isPromise } from '../base/promise.ts'
import { GatheredBytes, PulledInput } from '../wsgi/input.ts'
import type { Environ } from '../wsgi/types.ts'
import { parseMediaType } from './media-type.ts'
import { parsePairs } from './query.ts'

/** Maximum number of bytes in which the first field is looked for. */
const MAX_LENGTH = 16 * 1024

type Field = readonly [name: string, value: string]

/** Takes the pieces of a body in turn. Returns undefined until the first field is complete, null if there is none. */
type Finder = (piece: Uint8Array) => Field | null | undefined

/**
 * Reads the body of a form as far as its first field, and puts it back: the body can then be read as if nothing had
 * happened.
 *
 * @returns undefined if there is no such field within 16 KiB, if the form is malformed, compressed, or in another charset
 *   than UTF-8, or if the body has been read. Only the whole form settles what it holds then.
 * @throws BodyMemoryError if the server has no memory left for it.
 */
export async function readFirstField(environ: Environ): Promise<Field | undefined> {
  const input = environ['wsgi.input']
  const finder = finderFor(environ)
  const find = isPromise(finder) ? await finder : finder
  if (find === undefined || !(input instanceof PulledInput) || input.kept !== undefined) return undefined
  const gathered = new GatheredBytes()
  let length = 0
  let field: Field | null | undefined
  for await (const piece of input) {
    input.count(gathered.add(piece))
    length += piece.length
    field = find(piece)
    if (field !== undefined || length > MAX_LENGTH) break
  }
  input.putBack(concatBytes(gathered.pieces()))
  return field ?? undefined
}

function finderFor(environ: Environ): Finder | undefined | Promise<Finder | undefined> {
  if ((environ.HTTP_CONTENT_ENCODING ?? '') !== '') return undefined
  const type = parseMediaType(environ.CONTENT_TYPE ?? '')
  if (type?.essence === 'multipart/form-data') {
    // Loaded on first use, like the parser of the whole form.
    return import('./multipart.ts').then((parser) =>
      parser.firstPartFinder(type.parameters.boundary, MAX_LENGTH),
    )
  }
  if (type?.essence !== 'application/x-www-form-urlencoded') return undefined
  const { charset } = type.parameters
  return charset === undefined || charset.toLowerCase() === 'utf-8' ? urlencodedFinder() : undefined
}

const AMPERSAND = 0x26

function urlencodedFinder(): Finder {
  const before: Uint8Array[] = []
  return (piece) => {
    const end = piece.indexOf(AMPERSAND)
    before.push(end === -1 ? piece : piece.subarray(0, end))
    if (end === -1) return undefined
    return parsePairs(new TextDecoder().decode(concatBytes(before)))[0] ?? null
  }
}
