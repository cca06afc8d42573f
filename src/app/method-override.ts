/** Lets a browser's form say PUT, PATCH or DELETE: a hidden field `_method` in a POST. */
import { ORIGINAL_METHOD_KEY, Request } from '../http/request.ts'
import type { Environ } from '../wsgi/types.ts'

/** The methods that a form may stand for. */
const OVERRIDES: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i

/** Whether the request may override its method: only a POST of a form may. */
export function mayOverrideMethod(environ: Environ): boolean {
  return environ.REQUEST_METHOD === 'POST' && FORM_TYPES.test(environ.CONTENT_TYPE ?? '')
}

/** Whether any of the methods is one that a form can only reach by overriding. */
export function needsOverride(methods: Iterable<string>): boolean {
  for (const method of methods) if (OVERRIDES.has(method)) return true
  return false
}

/**
 * Reads the form and puts the method it asks for in the environ's place; the form stays read for the controller.
 *
 * @throws HTTPException when the form is too large or malformed.
 */
export async function overrideMethod(environ: Environ): Promise<void> {
  const form = await Request.of(environ).form()
  const method = form.get('_method')?.toUpperCase()
  if (method === undefined || !OVERRIDES.has(method)) return
  environ[ORIGINAL_METHOD_KEY] = environ.REQUEST_METHOD
  environ.REQUEST_METHOD = method
}
