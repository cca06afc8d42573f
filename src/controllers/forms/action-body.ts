/** Gives an action the body that `static args` declares with `body()`. */
import type { BodyArgument } from '../../http/converters/body-argument.ts'
import { isSafe } from '../../http/cross-site.ts'
import { onClose } from '../../wsgi/body.ts'
import type { Body } from '../../wsgi/types.ts'
import { type Controller, stateOf } from '../call-state.ts'
import type { BodyParameter } from '../declarations.ts'
import type { MethodBinding } from '../method-binding.ts'
import { convertTexts, readBody, readFormWithFiles, type SubmittedBody } from './fields.ts'
import { isShowing } from './show-form.ts'
import { acceptSubmission, checkSubmission, refuseUnread, type Submission, validateSubmission } from './submission.ts'

/** The submitted bodies of controllers whose hook has taken them. */
const submitted = new WeakMap<Controller, SubmittedBody>()

/** Functions that delete the temporary files of a request. */
const discards = new WeakMap<Controller, () => void>()

/**
 * Calls an action once its body is converted. A body that is invalid, and an exception with errors in fields, shows
 * the form again.
 *
 * The body of GET and HEAD is not read.
 */
export function callWithBody(controller: Controller, { body }: MethodBinding, call: () => unknown): unknown {
  if (body === undefined || isShowing(controller) || isSafe(controller.request.method)) return call()
  const { declaration } = body
  const submission = submissionOf(declaration)
  const known = submitted.get(controller)
  if (known !== undefined) return acceptSubmission(controller, submission, known, call)
  return read(controller, declaration).then(
    (sent) =>
      validateSubmission(controller, submission, sent, (value) => {
        stateOf(controller).body = { declaration, value }
        return call()
      }),
    (error: unknown) => refuseUnread(controller, submission, error),
  )
}

/**
 * Converts the body before `__before__`, which takes it too.
 *
 * @throws HTTPException - the body is invalid. No page is shown: the hook, which guards it, has not run.
 */
export async function convertBodyForHook(controller: Controller, { declaration }: BodyParameter): Promise<void> {
  if (isSafe(controller.request.method)) return
  const sent = await read(controller, declaration)
  const checked = await checkSubmission(submissionOf(declaration), sent, controller.request.environ)
  if (checked.error !== undefined) throw checked.error
  submitted.set(controller, sent)
  stateOf(controller).body = { declaration, value: checked.value }
}

function read(controller: Controller, declaration: BodyArgument): Promise<SubmittedBody> {
  const { request } = controller
  const { options } = declaration
  if (options.files === undefined) return readBody(request, declaration)
  return readFormWithFiles(request, options.lists ?? [], options.files).then((form) => {
    discards.set(controller, form.discard)
    return options.texts === undefined ? form.read : convertTexts(form.read, options.texts)
  })
}

/** Deletes the temporary files of a request when its response is complete, or has failed. */
export async function discardingFiles(controller: Controller, served: Promise<Body> | Body): Promise<Body> {
  const discard = () => {
    discards.get(controller)?.()
    discards.delete(controller)
  }
  let responseBody: Body
  try {
    responseBody = await served
  } catch (error) {
    discard()
    throw error
  }
  return discards.has(controller) ? onClose(responseBody, discard) : responseBody
}

function submissionOf({ schema, options }: BodyArgument): Submission {
  return { schema, form: options.form, name: options.name, user: 'body' }
}
