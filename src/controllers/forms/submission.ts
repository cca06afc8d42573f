/** Validates what a client has submitted: accepts the values, or shows the form again. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { andThen, isPromise } from '../../base/promise.ts'
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import { errorTexts } from '../../http/error-texts.ts'
import { isProgram } from '../../http/formats.ts'
import { HTTPException } from '../../http/http-exception.ts'
import { issueMessage } from '../../http/languages/translation.ts'
import { HTTPRequestEntityTooLarge } from '../../http/status-exceptions.ts'
import type { Environ } from '../../wsgi/types.ts'
import type { Controller } from '../call-state.ts'
import { isSecret, refusedIssues, type SubmittedBody } from './fields.ts'
import { formErrorsOf, invalidBySchema, nameForm } from './invalid.ts'
import { showForm } from './show-form.ts'

/** A form or a body that a schema validates. */
export interface Submission {
  readonly schema: StandardSchemaV1
  /** Method that shows an invalid form again. */
  readonly form: string | undefined
  /** Name of the form on a page with several. */
  readonly name: string | undefined
  /** Declaration that names the method, for errors. */
  readonly user: string
}

/**
 * Validates the submitted values and passes them to `accept`.
 *
 * @param accept - receives the value of the schema. If it throws an exception with errors in fields, the form is shown
 *   again too.
 * @returns the result of `accept`, or of the method that shows the form.
 * @throws HTTPException - the values are invalid, and the client is a program or there is no form.
 */
export function validateSubmission(
  controller: Controller,
  submission: Submission,
  submitted: SubmittedBody,
  accept: (value: unknown) => unknown,
): unknown {
  const checked = checkSubmission(submission, submitted, controller.request.environ)
  const run = (result: Checked): unknown =>
    result.error === undefined
      ? acceptSubmission(controller, submission, submitted, () => accept(result.value))
      : refuse(controller, submission, submitted, result.error)
  return isPromise(checked) ? checked.then(run) : run(checked)
}

/** Calls `accept`, and shows the form again if it throws an exception with errors in fields. */
export function acceptSubmission(
  controller: Controller,
  submission: Submission,
  submitted: SubmittedBody,
  accept: () => unknown,
): unknown {
  return andThen(
    accept,
    (accepted) => accepted,
    (error) => refuse(controller, submission, submitted, error),
  )
}

/** The value of a schema, or the exception for its issues. */
type Checked = { readonly error: HTTPException } | { readonly error: undefined; readonly value: unknown }

/** Validates the submitted values. Returns a promise only if the schema is asynchronous. */
export function checkSubmission(
  { schema }: Submission,
  submitted: SubmittedBody,
  environ: Environ,
): Checked | Promise<Checked> {
  const { issues: known = [] } = submitted
  const broken = refusedIssues(submitted.values, schema)
  const text = textFor(submitted, environ)
  if (broken.length > 0) return { error: invalidBySchema([...broken, ...known], text) }
  const conclude = (result: StandardSchemaV1.Result<unknown>): Checked => {
    if (result.issues === undefined && known.length === 0) return { error: undefined, value: result.value }
    // A schema misses the file or the text that was refused.
    const others = (result.issues ?? []).filter((issue) => !known.some((one) => isSameField(issue, one)))
    return { error: invalidBySchema([...others, ...known], text) }
  }
  const result = schema['~standard'].validate(submitted.values)
  return isPromise(result) ? Promise.resolve(result).then(conclude) : conclude(result)
}

function isSameField(
  { path: [one] = [] }: StandardSchemaV1.Issue,
  { path: [other] = [] }: StandardSchemaV1.Issue,
): boolean {
  return one !== undefined && String(typeof one === 'object' ? one.key : one) === other
}

/** Shows the form again, without what was typed, for a body that is too large to be read. Throws any other error. */
export function refuseUnread(controller: Controller, { form, name, user }: Submission, error: unknown): unknown {
  const { environ } = controller.request
  if (!isInstance(error, HTTPRequestEntityTooLarge) || form === undefined || isProgram(environ)) throw error
  const errors = { '': [errorTexts(error, environ).explanation] }
  return showForm(controller, { form, name, user }, error, errors, undefined)
}

/** Shows the form again for an exception with errors in fields. Throws any other error. */
function refuse(
  controller: Controller,
  { form, name, user }: Submission,
  { typed }: SubmittedBody,
  error: unknown,
): unknown {
  if (!isInstance(error, HTTPException)) throw error
  const errors = formErrorsOf(error)
  if (name !== undefined) nameForm(error, name)
  if (errors === undefined || form === undefined || isProgram(controller.request.environ)) throw error
  return showForm(controller, { form, name, user }, error, errors, typed())
}

/**
 * Returns a function that returns the message of an issue in the language of the request, without submitted
 * passwords: some libraries quote the input.
 */
function textFor(
  { values }: SubmittedBody,
  environ: Environ,
): (field: string, issue: StandardSchemaV1.Issue) => string {
  return (field, issue) => {
    const message = issueMessage(issue, environ)
    if (!isSecret(field) || !isRecord(values)) return message
    const secrets = [values[field]].flat().map(String)
    return secrets.reduce((text, secret) => text.replaceAll(`"${secret}"`, '"..."'), message)
  }
}
