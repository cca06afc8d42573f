/** What a controller relies on: the application it serves in, as far as a controller sees it. */
import type { HTTPException } from '../http/http-exception.ts'
import type { Request } from '../http/request.ts'
import type { Response } from '../http/response.ts'
import type { Session } from '../http/session.ts'
import type { Mapper } from '../routing/mapper.ts'
import type { RegisteredRoutes } from '../routing/types.ts'
import type { UrlGenerator } from '../routing/url.ts'
import type { TemplateEngine } from '../templating/engine.ts'
import type { Environ } from '../wsgi/types.ts'

/** Where an application says what happens; `console` will do, and so will pino. */
export interface Logger {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** The application around a controller, `controller.app`: in practice a FrameworkApp. */
export interface Application {
  /** Whether developers' errors are shown rather than hidden. */
  readonly debug: boolean
  readonly logger: Logger
  readonly mapper: Mapper<unknown>
  readonly templates: TemplateEngine
  /** Whether requests have sessions. */
  readonly keepsSessions: boolean
  /** The session of a request, read from its cookie. Throws when the application has no session secret. */
  openSession(request: Request): Session
  /** Sends the session along with a response, when it has changed. */
  saveSession(session: Session, response: Response): void
  /** The response that a client gets for an HTTP exception: the application's own page where it has one. */
  exceptionResponse(exception: HTTPException, environ: Environ): Response
  /** The generator of URLs as this request sees them. */
  urlGenerator(environ: Environ): UrlGenerator<RegisteredRoutes>
}

/** Under this key the environ holds the application that dispatches the request. */
export const APPLICATION_KEY = 'propylon.app'

/** Under this key the environ holds the formats of a resource whose path named none, for the action to choose from. */
export const FORMATS_KEY = 'propylon.formats'
