/** Method override: PUT, PATCH or DELETE in the hidden field `_method` of a POSTed form. */
import { concatBytes } from '../base/bytes.ts'
import { UNSAFE_METHODS } from '../base/methods.ts'
import { isPromise } from '../base/promise.ts'
import type { PartHeader } from '../http/body/multipart.ts'
import { HTTPException } from '../http/http-exception.ts'
import { parseMediaType } from '../http/media-type.ts'
import { parsePairs } from '../http/query.ts'
import { Request } from '../http/request.ts'
import { ORIGINAL_METHOD_KEY } from '../http/request-head.ts'
import { GatheredBytes, PulledInput } from '../wsgi/input.ts'
import type { Environ } from '../wsgi/types.ts'

/** Methods that a form may request. */
const OVERRIDES: ReadonlySet<string> = new Set(UNSAFE_METHODS.filter((method) => method !== 'POST'))

/** Returns true if one of the methods can be requested by a form. */
export function needsOverride(methods: Iterable<string>): boolean {
  for (const method of methods) if (OVERRIDES.has(method)) return true
  return false
}

/**
 * Replaces the environ's method by the form's `_method`.
 *
 * If `_method` is the first field, the rest of the form is not read here. Otherwise the whole form is, and stays read
 * for the controller, unless it is too large to be read whole.
 *
 * @param most - maximum number of bytes of a form that is read whole. `_method` within a longer one must be its first
 *   field.
 * @throws HTTPException - the form must be read and is too large or malformed.
 */
export async function overrideMethod(environ: Environ, most = Number.POSITIVE_INFINITY): Promise<void> {
  const method = (await requestedMethod(environ, most))?.toUpperCase()
  if (method === undefined || !OVERRIDES.has(method)) return
  environ[ORIGINAL_METHOD_KEY] = environ.REQUEST_METHOD
  environ.REQUEST_METHOD = method
}

async function requestedMethod(environ: Environ, most: number): Promise<string | undefined> {
  const first = await readFirstField(environ)
  if (first?.[0] === '_method') return first[1]
  const { limits, contentLength } = Request.of(environ)
  // Too large for form(). The action may read it by parts().
  if (contentLength !== undefined && contentLength > limits.multipart) return undefined
  if ((contentLength ?? Number.POSITIVE_INFINITY) > most) return undefined
  // Not the Request of the controller, which may read the form by parts(), also from memory.
  const form = await new Request(environ, limits).form()
  return form.get('_method')
}

/** Maximum number of bytes in which the first field is looked for. */
const MAX_LENGTH = 16 * 1024

type Field = readonly [name: string, value: string]

/** Takes the pieces of a body in turn. Returns undefined until the first field is complete, null if there is none. */
type Finder = (piece: Uint8Array) => Field | null | undefined

/**
 * Reads the body of a form as far as its first field, and puts it back: the body can then be read as if nothing had
 * happened.
 *
 * @returns undefined if there is no such field within 16 KiB, if the form is malformed, compressed, or in another
 *   charset than UTF-8, or if the body has been read. Only the whole form settles what it holds then.
 * @throws BodyMemoryError if the server has no memory left for it.
 */
async function readFirstField(environ: Environ): Promise<Field | undefined> {
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
  if (type?.essence === 'multipart/form-data') return multipartFinder(type.parameters.boundary)
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

/** Returns a finder that returns null if the first part is a file, or if the form is malformed. */
async function multipartFinder(boundary: string | undefined): Promise<Finder> {
  // Loaded on first use, as for the whole form.
  const { decodePart, MultipartReader } = await import('../http/body/multipart.ts')
  const most = Number.POSITIVE_INFINITY
  let reader: InstanceType<typeof MultipartReader> | undefined
  let part: PartHeader | undefined
  const content: Uint8Array[] = []
  return (piece) => {
    try {
      reader ??= new MultipartReader(boundary, { field: most, file: most, parts: most, header: MAX_LENGTH })
      reader.push(piece)
      for (let event = reader.next(); event !== undefined; event = reader.next()) {
        if (event instanceof Uint8Array) content.push(event)
        else if (typeof event !== 'string' && event.filename === undefined) part = event
        else return part === undefined ? null : [part.name, decodePart(concatBytes(content), part)]
      }
      return undefined
    } catch (error) {
      // Reading the whole form reports what is wrong with it.
      if (error instanceof HTTPException) return null
      throw error
    }
  }
}
