/** The option `problems` of an application: the form of errors for programs. */
import type { StandardTypedV1 } from '@standard-schema/spec'
import { describeValue } from '../base/describe.ts'
import { isPromise } from '../base/promise.ts'
import { errorText } from '../base/thrown.ts'
import type { Logger } from '../controllers/application.ts'
import { isSchema } from '../http/converters/schema.ts'
import { type ErrorDocument, type Problem, problemOf, renderProblem } from '../http/error-document.ts'
import { makeException } from '../http/exceptions.ts'
import type { ErrorBody, ProblemForm } from '../http/problems.ts'
import { Request } from '../http/request.ts'
import { LateBody } from '../http/response.ts'
import { checkHeader } from '../wsgi/response-head.ts'
import type { Environ, HeaderPair, WSGIApplication } from '../wsgi/types.ts'
import { checkOptions, isFunction, isString, type OptionRule } from './check-options.ts'

/** The form of errors for programs. Pages for browsers stay as they are. */
export interface ProblemsOption {
  /**
   * Status of bodies that a schema refuses, 400 to 499. Default 400. A page that shows a form again has 400 in any
   * case.
   */
  readonly invalid?: number
  /** Schema of the body, for the OpenAPI document and generated clients. */
  readonly schema?: StandardTypedV1
  /** Content type of the body. Default `application/json`. */
  readonly contentType?: string
  /**
   * Returns the body of an error, which is sent as JSON. If it throws, the error is logged, and problem details (RFC
   * 9457) are sent.
   */
  body(problem: Problem, request: Request): unknown
}

const RULES = {
  invalid: [
    (status) => Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 499,
    'a status from 400 to 499, such as 422',
  ],
  schema: [isSchema, 'a Standard Schema'],
  contentType: [(type) => isString(type) && type !== '', "a type such as 'application/vnd.api+json'"],
  body: [isFunction, 'a function that returns JSON, such as ({ title }) => ({ error: title })'],
} satisfies Record<keyof ProblemsOption, OptionRule>

/** Writes the errors of an application for programs. */
export class Problems implements ProblemForm {
  readonly invalid: number
  readonly schema: StandardTypedV1 | undefined
  readonly contentType: string
  readonly #option: ProblemsOption
  readonly #logger: Logger

  /** @throws TypeError - an option does not exist or is malformed, or `body` is missing. */
  constructor(option: ProblemsOption, logger: Logger) {
    checkOptions('FrameworkApp({ problems })', option, RULES, ['body'])
    const { invalid = 400, contentType = 'application/json', schema } = option
    checkHeader('Content-Type', contentType)
    this.invalid = invalid
    this.contentType = contentType
    this.schema = schema
    this.#option = option
    this.#logger = logger
  }

  /** Returns an application whose errors have this form. */
  around(app: WSGIApplication): WSGIApplication {
    return (environ, start_response) => {
      environ['propylon.problems'] = this
      return app(environ, start_response)
    }
  }

  write(document: ErrorDocument, environ: Environ): ErrorBody | LateBody {
    const fail = (err: unknown): ErrorBody => {
      this.#logger.error(`problems.body failed\n${errorText(err)}`, { err })
      return { body: renderProblem(document), contentType: 'application/problem+json' }
    }
    const serialized = (value: unknown): ErrorBody => {
      const body: unknown = JSON.stringify(value)
      if (typeof body === 'string') return { body, contentType: this.contentType }
      throw new TypeError(`problems.body returned ${describeValue(value)}. Return what JSON can carry.`)
    }
    try {
      const value: unknown = this.#option.body(problemOf(document), Request.of(environ))
      return isPromise(value) ? new LateBody(Promise.resolve(value).then(serialized).catch(fail)) : serialized(value)
    } catch (error) {
      return fail(error)
    }
  }

  refusal(status: number, headers: readonly HeaderPair[]): WSGIApplication {
    return makeException(status, undefined, headers).wsgi
  }
}
