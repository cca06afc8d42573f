/**
 * The messages of an application and the language of each request.
 *
 * @module
 */

import { describeValue } from '../base/describe.ts'
import type { Application } from '../controllers/application.ts'
import { HeaderList } from '../http/headers.ts'
import type { MessagesOption } from '../http/languages/catalog.ts'
import { Messages } from '../http/languages/messages.ts'
import { type LanguageChoice, setTranslation, Translation, translationOf } from '../http/languages/translation.ts'
import { Request } from '../http/request.ts'
import { COOKIES } from '../http/request-head.ts'
import { PEEK } from '../http/sessions/session.ts'
import type { Environ, WSGIApplication } from '../wsgi/types.ts'
import type { LanguageOptions, LanguageSource } from './language-options.ts'

type SessionApplication = Pick<Application, 'debug' | 'keepsSessions' | 'logger' | 'openSession'>

/** Name of the route argument, the cookie and the session value. */
const NAME = 'language'

/** A place that may name the language of a request. */
interface Place {
  /** The request header that it belongs to. */
  readonly header?: string
  read(environ: Environ, application: SessionApplication, languages: readonly string[]): unknown
}

const PLACES: Readonly<Record<LanguageSource, Place>> = {
  path: { read: (environ) => environ['wsgiorg.routing_args']?.[1][NAME] },
  cookie: { header: 'Cookie', read: (environ) => Request.of(environ)[COOKIES]()[NAME] },
  session: {
    header: 'Cookie',
    read(environ, application) {
      try {
        return application.openSession(environ)[PEEK](NAME)
      } catch {
        // It has not been read from its store, for instance in middleware.
        return undefined
      }
    },
  },
  header: {
    header: 'Accept-Language',
    read(environ, _, languages) {
      const request = Request.of(environ)
      return request.header('accept-language') && request.acceptsLanguage(...languages)
    },
  },
}

/** The languages of an application. */
export class Languages {
  readonly messages: Messages
  readonly #sources: readonly LanguageSource[]
  readonly #application: SessionApplication

  /** @throws TypeError - an option is malformed. @throws Error - messages are missing or malformed. */
  constructor(options: LanguageOptions & { readonly messages: MessagesOption }, application: SessionApplication) {
    const { messages, languages = [], languageFrom = ['path', 'cookie', 'session', 'header'] } = options
    this.#sources = checkSources(languageFrom).filter((each) => each !== 'session' || application.keepsSessions)
    this.#application = application
    this.messages = new Messages(messages, {
      languages,
      MessageFormat: options.messageFormat,
      warn: (message) => application.logger.warn(message),
    })
  }

  /** Names of the route arguments that may name the language. */
  get routeArguments(): readonly string[] {
    return this.#sources.includes('path') ? [NAME] : []
  }

  /** Whether the session may name the language. */
  get readsSession(): boolean {
    return this.#sources.includes('session')
  }

  /** Returns an application whose requests have messages. In debug mode, files that have changed are read again. */
  around(app: WSGIApplication): WSGIApplication {
    const { messages } = this
    const choose = (environ: Environ) => this.#choose(environ)
    return (environ, start_response) => {
      if (this.#application.debug) messages.refresh()
      setTranslation(environ, new Translation(messages, choose))
      return app(environ, start_response)
    }
  }

  /** Returns an application whose responses have `Content-Language` and `Vary` if they depend on the language. */
  describing(app: WSGIApplication): WSGIApplication {
    return (environ, start_response) => {
      const translation = translationOf(environ)
      return app(environ, (status, pairs, excInfo) => {
        if (translation?.isUsed !== true) return start_response(status, pairs, excInfo)
        const headers = new HeaderList(pairs)
        translation.describe(headers)
        return start_response(status, headers.toPairs(), excInfo)
      })
    }
  }

  /** Returns the first language that a place names and the application has. Its own first language is the default. */
  #choose(environ: Environ): LanguageChoice {
    const { languages } = this.messages
    const varies = new Set<string>()
    let language: string | undefined
    for (const source of this.#sources) {
      const { header, read } = PLACES[source]
      // Caches may store the response to another visitor's header, also if the path or a cookie comes first.
      if (header !== undefined && (language === undefined || source === 'header')) varies.add(header)
      if (language !== undefined) continue
      const named = read(environ, this.#application, languages)
      language = languages.find((each) => each === named)
    }
    return { language: language ?? languages[0] ?? 'en', varies: [...varies] }
  }
}

/**
 * Returns the languages of an application; undefined if it has no messages.
 *
 * @throws TypeError - an option is malformed, or is given without messages.
 */
export function languagesOf(options: LanguageOptions, application: SessionApplication): Languages | undefined {
  const { messages } = options
  if (messages !== undefined) return new Languages({ ...options, messages }, application)
  const [alone] = (['languages', 'languageFrom', 'messageFormat'] as const).filter(
    (name) => options[name] !== undefined,
  )
  if (alone === undefined) return undefined
  throw new TypeError(
    `FrameworkApp: ${alone} was given without messages. Add messages: new URL('./messages/', import.meta.url).`,
  )
}

/** @throws TypeError - the value is not a list of places. */
function checkSources(sources: unknown): readonly LanguageSource[] {
  if (Array.isArray(sources) && sources.every((each) => Object.hasOwn(PLACES, each))) return sources
  throw new TypeError(
    `FrameworkApp: languageFrom is ${describeValue(sources)}. List places in their order: languageFrom: ['path', 'cookie', 'session', 'header'].`,
  )
}
