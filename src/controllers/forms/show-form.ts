/** Shows a form again whose fields are invalid. */

import type { HTTPException } from '../../http/http-exception.ts'
import { ORIGINAL_METHOD_KEY } from '../../http/request-head.ts'
import { isWebResponse, Response } from '../../http/response.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { FormErrors, FormValues } from '../application.ts'
import { callNamed } from '../arguments.ts'
import { type Controller, stateOf } from '../call-state.ts'
import { shownResult } from '../represent.ts'
import { callOther, otherPage } from './other-page.ts'

/** Controllers that are showing a form again, and do not validate meanwhile: a form may be shown by its own action. */
const showing = new WeakSet<Controller>()

/** Returns true while a controller shows a form again. */
export function isShowing(controller: Controller): boolean {
  return showing.has(controller)
}

/** The form that {@link showForm} shows. */
interface ShownForm {
  /** A method of the controller, or a page of another one: `admin/pages.show`. */
  readonly form: string
  readonly name: string | undefined
  /** Declaration that names the form, for errors. */
  readonly user: string
}

/**
 * Runs the method that shows the form, as if for a GET: it may be the action of the page with the form. The response
 * has the status of the exception, unless the method sets another one, and its header fields.
 */
export async function showForm(
  controller: Controller,
  { form, name, user }: ShownForm,
  exception: HTTPException,
  errors: FormErrors,
  typed: FormValues | undefined,
): Promise<unknown> {
  stateOf(controller).isForReader = true
  controller.c.formErrors = errors
  if (typed !== undefined) controller.c.formValues = typed
  if (name !== undefined) controller.c.formName = name
  // The page is rendered as for a GET too.
  const restore = disguiseAsGet(controller.request.environ)
  const other = otherPage(form)
  try {
    if (other === undefined) return await callForm(controller, form, user, exception)
    return await callOther(controller, other, user, (page) => callForm(page, other.action, user, exception))
  } finally {
    restore()
  }
}

/** Calls the method of a controller that shows a form, and renders the page of its result. */
async function callForm(
  controller: Controller,
  form: string,
  user: string,
  { status, headers }: HTTPException,
): Promise<unknown> {
  const state = stateOf(controller)
  const response = state.ownResponse()
  response.status = status
  for (const [name, value] of headers) response.headers.append(name, value)
  showing.add(controller)
  const result = await callNamed(controller, form, user)
  return unsuccessful(await shownResult(state, state.description.method(form), result, status), status)
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
  const response = isWebResponse(result) ? Response.from(result) : result
  if (!(response instanceof Response) || response.status !== 200) return response
  const shown = response.copy()
  shown.status = status
  return shown
}
