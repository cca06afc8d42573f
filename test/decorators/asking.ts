/** Asks a controller within a real application, under lint. */
import { FrameworkApp } from '../../src/app/framework-app.ts'
import type { WSGIController } from '../../src/controllers/wsgi-controller.ts'
import { Mapper } from '../../src/routing/mapper.ts'
import type { Templates } from '../../src/templating/eta.ts'
import { createEnviron } from '../../src/wsgi/environ.ts'
import { lint } from '../../src/wsgi/lint.ts'
import { run } from '../../src/wsgi/run.ts'
import type { HeaderPair } from '../../src/wsgi/types.ts'

export interface Asked {
  readonly status: string
  readonly headers: readonly HeaderPair[]
  readonly text: string
  header(name: string): string | undefined
}

export interface Question {
  readonly method?: string
  /** With the scheme and host where they matter. */
  readonly url?: string
  readonly headers?: readonly HeaderPair[]
  /** A body, sent as a form. */
  readonly form?: string
  /** The form's type; urlencoded when absent. */
  readonly type?: string
}

export interface TestApp {
  readonly app: FrameworkApp
  /** What was logged. */
  readonly logged: readonly string[]
  /** Asks for a path below `/test`; unexpected errors reject. */
  ask(path: string, question?: Question): Promise<Asked>
}

export const secret = 'a secret of more than thirty-two characters'

const URLENCODED = 'application/x-www-form-urlencoded'

/** An application with one controller, `test`, and sessions unless they are turned off. */
export function appWith(
  controller: new () => WSGIController,
  { sessions = true, templates = {} }: { sessions?: boolean; templates?: Templates } = {},
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
  async function ask(
    path: string,
    { method, url, headers = [], form, type = URLENCODED }: Question = {},
  ): Promise<Asked> {
    const sent: HeaderPair[] = form === undefined ? [...headers] : [['Content-Type', type], ...headers]
    const environ = createEnviron({
      method: method ?? (form === undefined ? 'GET' : 'POST'),
      url: `${url ?? ''}/test${path}`,
      headers:
        sent.some(([name]) => name === 'Host') || url !== undefined ? sent : [['Host', 'localhost'], ...sent],
      body: form ?? null,
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
  return { app, logged, ask }
}
