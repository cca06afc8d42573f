/** Sends requests to a controller in an application, under lint. */
import { FrameworkApp, type FrameworkAppOptions, Mapper, type WSGIController } from 'propylon'
import { createEnviron, type HeaderPair, lint, run } from 'propylon/wsgi'

export interface Received {
  readonly status: string
  readonly headers: readonly HeaderPair[]
  readonly text: string
  header(name: string): string | undefined
}

export interface SendOptions {
  readonly method?: string
  /** Scheme and host. */
  readonly url?: string
  readonly headers?: readonly HeaderPair[]
  /** Address of the client. */
  readonly remoteAddr?: string
  /** Body, sent as a form. */
  readonly form?: string
  /** Content type of the form. Defaults to urlencoded. */
  readonly type?: string
}

export interface TestApp {
  readonly app: FrameworkApp
  /** Log lines. */
  readonly logged: readonly string[]
  /** Sends a request for a path below `/test`. Rejects with unexpected errors. */
  send(path: string, options?: SendOptions): Promise<Received>
}

export const secret = 'a secret of more than thirty-two characters'

const URLENCODED = 'application/x-www-form-urlencoded'

/** Creates an application with the controller `test`, and with sessions unless they are disabled. */
export function appWith(
  controller: new () => WSGIController,
  { sessions = true, templates = {} }: { sessions?: boolean; templates?: FrameworkAppOptions['templates'] } = {},
): TestApp {
  const map = new Mapper()
  map.connect('/{controller}', { action: 'index' })
  map.connect('/{controller}/{action}')
  map.connect('/{controller}/{action}/{id}')
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  const app = new FrameworkApp({
    map,
    controllers: { test: controller },
    templates,
    logger: { info: log, warn: log, error: log },
    ...(sessions ? { session: { secret } } : {}),
  })
  const linted = lint(app.wsgi)
  async function send(
    path: string,
    { method, url, headers = [], form, remoteAddr = '127.0.0.1', type = URLENCODED }: SendOptions = {},
  ): Promise<Received> {
    const sent: HeaderPair[] = form === undefined ? [...headers] : [['Content-Type', type], ...headers]
    const environ = createEnviron({
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      url: `${url ?? ''}/test${path}`,
      headers: sent.some(([name]) => name === 'Host') || url !== undefined ? sent : [['Host', 'localhost'], ...sent],
      body: form ?? null,
      remoteAddr,
    })
    const result = await run(linted, environ)
    const text = await result.text()
    return {
      status: result.status,
      headers: result.headers,
      text,
      header: (name) => result.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
    }
  }
  return { app, logged, send }
}
