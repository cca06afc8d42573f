/** Method override: PUT, PATCH or DELETE in the hidden field `_method` of a POSTed form. */
import { UNSAFE_METHODS } from '../base/methods.ts'
import { readFirstField } from '../http/first-field.ts'
import { Request } from '../http/request.ts'
import { ORIGINAL_METHOD_KEY } from '../http/request-head.ts'
import type { Environ } from '../wsgi/types.ts'

/** Methods that a form may request. */
const OVERRIDES: ReadonlySet<string> = new Set(UNSAFE_METHODS.filter((method) => method !== 'POST'))

const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i

/** Returns true if the body of a request is a form. */
export function isForm(environ: Environ): boolean {
  return FORM_TYPES.test(environ.CONTENT_TYPE ?? '')
}

/** Returns true if one of the methods can be requested by a form. */
export function needsOverride(methods: Iterable<string>): boolean {
  for (const method of methods) if (OVERRIDES.has(method)) return true
  return false
}

/**
 * Replaces the environ's method by the form's `_method`.
 *
 * If `_method` is the first field, the rest of the form is not read here. Otherwise the whole form is, and stays read for
 * the controller, unless it is too large to be read whole.
 *
 * @param most - maximum number of bytes of a form that is read whole. `_method` within a longer one must be its first field.
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
