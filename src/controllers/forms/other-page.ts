/** Shows a page of another controller in place of an action. */
import { nearest } from '../../base/suggest.ts'
import { ACTION_KEY, CallState, type Controller, RUN, STATE, stateOf, whenFinished } from '../call-state.ts'
import { type Responder, respond, respondToError } from '../represent.ts'
import { addOwnHeaders } from '../start-response.ts'

/** A page of another controller. */
export interface OtherPage {
  readonly controller: string
  readonly action: string
}

/** Returns the controller and the action of `admin/pages.show`. Undefined for the name of a method of the own class. */
export function otherPage(form: string): OtherPage | undefined {
  const dot = form.lastIndexOf('.')
  return dot === -1 ? undefined : { controller: form.slice(0, dot), action: form.slice(dot + 1) }
}

/**
 * Runs the hooks of another controller and a method of it, in the same request: with its match, session and template
 * context.
 *
 * @param user - the function that names the page, for errors.
 * @param run - calls the method.
 * @returns the response, or the application that makes it.
 * @throws TypeError - there is no such controller, or no such method of it.
 */
export async function callOther(
  caller: Controller,
  { controller, action }: OtherPage,
  user: string,
  run: (page: Controller) => unknown,
): Promise<Responder> {
  const page = await createController(caller, controller, user)
  const own = stateOf(caller)
  const { environ } = own
  const { 'wsgiorg.routing_args': routed = [[], {}] } = environ
  environ['wsgiorg.routing_args'] = [[], Object.assign(Object.create(null), routed[1], { controller, action })]
  // Traces and logs keep the action that the client has called.
  environ[ACTION_KEY] ??= own.action
  const start: CallState['start_response'] = (...head) => own.start_response(...head)
  const state = new CallState(page, environ, start)
  page[STATE] = state
  state.context = caller.c
  state.session = own.session
  try {
    const responder = await page[RUN]({
      run: () => run(page),
      answer: respond,
      answerError: respondToError,
    })
    if (typeof responder !== 'function') return state.response ?? responder
    return (passed, start_response) => responder(passed, addOwnHeaders(state, start_response))
  } finally {
    environ['wsgiorg.routing_args'] = routed
    own.session ??= state.session
    const { finishing } = state
    for (const callback of finishing ?? []) whenFinished(caller, callback)
  }
}

async function createController(caller: Controller, name: string, user: string): Promise<Controller> {
  const { controllers } = caller.app
  const found = await controllers.find(name)
  if (found === undefined) {
    const meant = nearest(name, controllers.names)
    const fix = meant === undefined ? 'Correct the name.' : `Did you mean "${meant}"?`
    throw new TypeError(`${user}: there is no controller "${name}". ${fix}`)
  }
  const page: object | undefined = found.kind === 'class' ? new found.controllerClass() : undefined
  if (page === undefined || !isController(page)) {
    throw new TypeError(`${user}: the controller "${name}" is not a subclass of WSGIController.`)
  }
  return page
}

function isController(value: object): value is Controller {
  return STATE in value
}
