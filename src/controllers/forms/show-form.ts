/** Shows a form again whose fields are invalid. */

import { isPromise } from '../../base/promise.ts'
import type { HTTPException } from '../../http/http-exception.ts'
import { ORIGINAL_METHOD_KEY } from '../../http/request-head.ts'
import { Response } from '../../http/response.ts'
import type { Environ } from '../../wsgi/types.ts'
import { type Controller, stateOf } from '../call-state.ts'
import { shownResult } from '../declared-response.ts'
import { callNamed } from '../named-method.ts'
import type { FormErrors, FormValues } from '../template-context.ts'

/** Controllers that are showing a form again, and do not validate meanwhile: a form may be shown by its own action. */
const showing = new WeakSet<Controller>()

/** Returns true while a controller shows a form again. */
export function isShowing(controller: Controller): boolean {
  return showing.has(controller)
}

/**
 * Runs the method that shows the form, as if for a GET: it may be the action of the page with the form. The response has
 * the status of the exception, unless the method sets another one, and its header fields.
 */
export function showForm(
  controller: Controller,
  { form, name, user }: { readonly form: string; readonly name: string | undefined; readonly user: string },
  exception: HTTPException,
  errors: FormErrors,
  typed: FormValues,
): unknown {
  controller.c.formErrors = errors
  controller.c.formValues = typed
  if (name !== undefined) controller.c.formName = name
  const response = stateOf(controller).ownResponse()
  response.status = exception.status
  for (const [name, value] of exception.headers) response.headers.append(name, value)
  const restore = disguiseAsGet(controller.request.environ)
  showing.add(controller)
  let result: unknown
  try {
    result = callNamed(controller, form, user)
  } catch (error) {
    restore()
    throw error
  }
  const { status } = exception
  const show = (value: unknown): unknown =>
    unsuccessful(shownResult(controller, stateOf(controller).metadata.method(form), value, status), status)
  // The page is rendered as for a GET too.
  const shown = isPromise(result) ? result.then(show) : show(result)
  if (isPromise(shown)) return shown.finally(restore)
  restore()
  return shown
}

function disguiseAsGet(environ: Environ): () => void {
  const { REQUEST_METHOD: method, [ORIGINAL_METHOD_KEY]: original } = environ
  environ.REQUEST_METHOD = method === 'HEAD' ? 'HEAD' : 'GET'
  environ[ORIGINAL_METHOD_KEY] = original ?? method
  return () => {
    environ.REQUEST_METHOD = method
    environ[ORIGINAL_METHOD_KEY] = original
  }
}

/** Changes the status of a Response of that method from 200. */
function unsuccessful(result: unknown, status: number): unknown {
  if (!(result instanceof Response) || result.status !== 200) return result
  const shown = result.copy()
  shown.status = status
  return shown
}
