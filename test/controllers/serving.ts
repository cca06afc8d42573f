/** Serves one controller without an application around it but the least a controller needs. */
import type { Application, WSGIController } from 'propylon'
import { createEnviron, type EnvironInit, type HeaderPair, lint, run } from 'propylon/wsgi'
import { APPLICATION_KEY, EXCEPTION_RESPONSE } from '../../src/controllers/application.ts'

export interface Served {
  status: string
  headers: HeaderPair[]
  header(name: string): string | undefined
  text: string
}

export interface ServeOptions extends EnvironInit {
  debug?: boolean
  logged?: string[]
  match?: Record<string, string | null>
}

/** Sends a request to an action of a controller, under lint. Rejects with unexpected errors. */
export async function serveAction(
  controllerClass: new () => WSGIController,
  action: string,
  { debug = false, logged = [], match = {}, ...init }: ServeOptions = {},
): Promise<Served> {
  const log = (message: string) => void logged.push(message)
  const app: Partial<Application> = {
    debug,
    showsErrors: () => debug,
    logger: { info: log, warn: log, error: log },
    [EXCEPTION_RESPONSE]: (exception, served) => exception.toResponse(served),
  }
  const environ = createEnviron(init)
  environ[APPLICATION_KEY] = app
  environ['wsgiorg.routing_args'] = [[], Object.assign(Object.create(null), { controller: 'test', action }, match)]
  const result = await run(
    lint((given, start_response) => new controllerClass().__call__(given, start_response)),
    environ,
  )
  return {
    status: result.status,
    headers: result.headers,
    header: (name) => result.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
    text: await result.text(),
  }
}
