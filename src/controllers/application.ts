/** The application as controllers see it. */
import type { HTTPException } from '../http/http-exception.ts'
import type { Request } from '../http/request.ts'
import type { Response } from '../http/response.ts'
import type { Session } from '../http/sessions/session.ts'
import type { TemplateEngine } from '../http/templating/engine.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RegisteredRoutes } from '../routing/register.ts'
import type { UrlGenerator } from '../routing/url.ts'
import type { Environ } from '../wsgi/types.ts'

/** Context of a log message. Fields that are not known are absent. */
export interface LogDetails {
  /** The value that was thrown, as a rule an Error. */
  readonly err?: unknown
  /** Id of the request, with `requestLog()`. */
  readonly requestId?: string
  /** Method of the request. */
  readonly method?: string
  /** Path of the request, without the query. */
  readonly path?: string
}

/**
 * Receives log messages. `console`, pino and winston implement it. The message is complete: the message of an error
 * has its stack. A pino logger is called in its own way: with the details first, and with a message of one line,
 * because it writes the stack of `err` itself.
 */
export interface Logger {
  /** Writes an event of ordinary operation. */
  info(message: string, details?: LogDetails): void
  /** Writes a condition that should be corrected, although no request failed. */
  warn(message: string, details?: LogDetails): void
  /** Writes a failure. */
  error(message: string, details?: LogDetails): void
}

/** Key of the method that represents exceptions. The options `errorPages` and `problems` are the way to change that. */
export const EXCEPTION_RESPONSE: unique symbol = Symbol('propylon.exceptionResponse')

/** The application of a controller, `controller.app`. FrameworkApp implements it. */
export interface Application {
  /** Whether debug mode is on. */
  readonly debug: boolean
  /** Receives the messages of the application. */
  readonly logger: Logger
  /** The routes. */
  readonly mapper: Mapper<unknown>
  /** The controllers by name. */
  readonly controllers: KnownControllers
  /** Renders the templates. */
  readonly templates: TemplateEngine
  /** Whether the application has sessions. */
  readonly keepsSessions: boolean
  /**
   * Reads the session of a request, if that has to be waited for. This is done before a controller is called. Call it
   * before {@link openSession} anywhere else.
   */
  loadSession(environ: Environ): Promise<void> | undefined
  /** Returns the session of a request. Throws if the application has no sessions. */
  openSession(environ: Environ): Session
  /** Saves a session, and adds its cookie and the headers for caches to a response. */
  saveSession(session: Session, environ: Environ, response: Response): Promise<void> | undefined
  /** Returns true if a response may contain error details: debug mode is on and the host is trusted. */
  showsErrors(environ: Environ): boolean
  /** Returns true if the host of a request is a local one, or one that the option `hosts` lists by name. */
  trustsHost(environ: Environ): boolean
  /**
   * Returns the response for an HTTP exception: the application's own error page if it has one.
   *
   * @param context - the controller that threw it, for the values of the page.
   */
  [EXCEPTION_RESPONSE](exception: HTTPException, environ: Environ, context?: PageContext): Response
  /**
   * Logs an unexpected error, and passes it to the option `onError`.
   *
   * @param procedure - name of the remote procedure that failed.
   */
  reportError(error: unknown, environ: Environ, procedure?: string): void
  /** Returns the exception in place of an unexpected error for which the option `unavailable` returns true. */
  unavailability(error: unknown): HTTPException | undefined
  /** Returns the URL of a public file with its fingerprint, below the mount point of the request if one is given. */
  asset(name: string, environ?: Environ): string
  /** Returns a copy of the OpenAPI document. Undefined if the application lacks the option `openapi`. */
  openapi(): Promise<OpenAPIDocument | undefined>
  /** Returns a generator of URLs relative to this request's host and mount point. */
  urlGenerator(environ: Environ): UrlGenerator<RegisteredRoutes>
}

/** An OpenAPI document. */
export interface OpenAPIDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly [member: string]: unknown
  }
  readonly servers: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: object
  readonly security: readonly object[]
  readonly tags: readonly object[]
}

/** The controllers of an application by name. */
export interface KnownControllers {
  readonly names: readonly string[]
  /** Returns a controller, or a promise if its module must be loaded first. Undefined if none has the name. */
  find(name: string): KnownController | Promise<KnownController> | undefined
}

/** A controller: a class, or a WSGI application. */
export type KnownController =
  | { readonly kind: 'class'; readonly controllerClass: new () => object }
  | { readonly kind: 'application' }

/** Values of templates. A controller has them. */
export interface PageContext {
  /** The template context: values that templates read as `it.c`. */
  readonly c: TemplateContext
  /** The request that the page answers. */
  readonly request: Request
  /** Throws if the application has no sessions. */
  readonly session: Session
  /** Generates the URL of a route, with the mount point. */
  readonly url: UrlGenerator<RegisteredRoutes>
}

/** Key in the environ for the template context of the controller, for the page of an unexpected error. */
export const CONTEXT_KEY = 'propylon.context'

/** Key in the environ for the application that dispatches the request. */
export const APPLICATION_KEY = 'propylon.app'

/** The values that a controller keeps for its templates. */

/** Error messages by field. Those about the form as a whole have the empty name. */
export type FormErrors = Readonly<Record<string, readonly string[]>>

/** Submitted values by field, for showing the form again. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>

/** The template context of a controller: `this.c`, and `it.c` in templates. Applications add values of their own. */
export interface TemplateContext {
  /** Errors of a form that is shown again. */
  formErrors?: FormErrors
  /** Submitted values of a form that is shown again. */
  formValues?: FormValues
  /** Option `name` of the form that is shown again, for pages with several forms. */
  formName?: string
  [name: string]: unknown
}
