/** Gives an action the body that `static args` declares with `body()`. */
import type { BodyArgument } from '../../http/converters/body.ts'
import { isSafe } from '../../http/cross-site.ts'
import type { BodyParameter } from '../declared-arguments.ts'
import { type Controller, stateOf } from '../lifecycle.ts'
import type { MethodBinding } from '../method-binding.ts'
import { readBody, type SubmittedBody } from './fields.ts'
import { isShowing } from './show-form.ts'
import { acceptSubmission, checkSubmission, type Submission, validateSubmission } from './submission.ts'

/** The submitted bodies of controllers whose hook has taken them. */
const submitted = new WeakMap<Controller, SubmittedBody>()

/**
 * Calls an action once its body is converted. A body that is invalid, and an exception with errors in fields, shows the form
 * again.
 *
 * The body is not read for a method action without `body()`, and for GET and HEAD.
 */
export function callWithBody(controller: Controller, { body }: MethodBinding, call: () => unknown): unknown {
  if (body === undefined || isShowing(controller) || isSafe(controller.request.method)) return call()
  const { declaration } = body
  const known = submitted.get(controller)
  if (known !== undefined) return acceptSubmission(controller, submissionOf(declaration), known, call)
  return readBody(controller.request, listsOf(declaration)).then((read) =>
    validateSubmission(controller, submissionOf(declaration), read, (value) => {
      stateOf(controller).body = { declaration, value }
      return call()
    }),
  )
}

/**
 * Converts the body before `__before__`, which takes it too.
 *
 * @throws HTTPException - the body is invalid. No page is shown: the hook, which guards it, has not run.
 */
export async function convertBodyForHook(
  controller: Controller,
  { declaration }: BodyParameter,
): Promise<void> {
  if (isSafe(controller.request.method)) return
  const read = await readBody(controller.request, listsOf(declaration))
  const checked = await checkSubmission(submissionOf(declaration), read)
  if (checked.error !== undefined) throw checked.error
  submitted.set(controller, read)
  stateOf(controller).body = { declaration, value: checked.value }
}

function submissionOf({ schema, options }: BodyArgument): Submission {
  return { schema, form: options.form, user: 'body' }
}

function listsOf({ options }: BodyArgument): ReadonlySet<string> {
  return new Set(options.lists)
}
