/**
 * The representation of an error: a page for browsers, and for programs what the application has chosen.
 *
 * @module
 */
import type { StandardTypedV1 } from '@standard-schema/spec'
import type { Environ, ErrorForm } from '../wsgi/types.ts'
import { type ErrorDocument, type ErrorMediaType, RENDERERS } from './error-document.ts'
import { errorMediaTypeFor } from './formats.ts'
import { LateBody, type Response } from './response.ts'

/** The form of errors for programs that an application has chosen. */
export interface ProblemForm extends ErrorForm {
  /** Status of bodies that a schema refuses. */
  readonly invalid: number
  readonly contentType: string
  /** Schema of the body, for documents. */
  readonly schema: StandardTypedV1 | undefined
  /** Returns the body of an error, with its content type. */
  write(document: ErrorDocument, environ: Environ): ErrorBody | LateBody
}

/** A body of an error response that is known. */
export interface ErrorBody {
  readonly body: string
  readonly contentType: string
}

/** Returns the form of errors for programs that the application has chosen, if it has. */
export function problemForm(environ: Environ): ProblemForm | undefined {
  const { 'propylon.problems': form } = environ
  return form !== undefined && isProblemForm(form) ? form : undefined
}

function isProblemForm(form: ErrorForm): form is ProblemForm {
  return 'write' in form
}

/** Gives a response the body of an error: a page for browsers, or what programs receive. */
export function represent(
  response: Response,
  document: ErrorDocument,
  environ: Environ,
  type: ErrorMediaType = errorMediaTypeFor(environ),
): Response {
  const isForPrograms = type !== 'text/html' && document.status >= 400
  const written = isForPrograms ? problemForm(environ)?.write(document, environ) : undefined
  if (written instanceof LateBody) response.body = written
  else {
    response.contentType = written?.contentType ?? type
    response.body = written?.body ?? RENDERERS[type](document)
  }
  return response
}

/** Exceptions for bodies that a schema refuses, whose status the application chooses. */
const refusedBodies = new WeakSet<object>()

/** Notes that a schema refuses the body for which an exception is. Returns the exception. */
export function refusesBody<E extends object>(exception: E): E {
  refusedBodies.add(exception)
  return exception
}

/** Returns the status that the application has chosen for an exception. Undefined if the exception has its own. */
export function chosenStatus(exception: object, environ: Environ): number | undefined {
  return refusedBodies.has(exception) ? problemForm(environ)?.invalid : undefined
}
