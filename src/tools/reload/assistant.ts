/** Tools of the development server for assistants: a server for the Model Context Protocol beside the application. */

import { execFile } from 'node:child_process'
import { FrameworkApp } from '../../app/framework-app.ts'
import { isFrameworkApp } from '../../app/is-framework-app.ts'
import { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { safeEqual } from '../../app/middleware/basic-auth.ts'
import { errorMessage } from '../../base/thrown.ts'
import { abort, HTTPNotFound } from '../../http/exceptions.ts'
import { Mapper } from '../../routing/mapper.ts'
import { callSignature } from '../../rpc/controllers/call-signature.ts'
import { RPCController } from '../../rpc/controllers/rpc-controller.ts'
import { hostOf, isLocalHost } from '../../wsgi/request-url.ts'
import type { Environ, WSGIApplication, WSGICallable } from '../../wsgi/types.ts'
import { ASSISTANT_PATH } from './assistant-path.ts'
import { sendRequest } from './sent-request.ts'

/** Time that `propylon check` may take, in milliseconds. */
const CHECK_TIMEOUT = 60_000

/** Descriptions of the tools. The build of this package removes doc comments, so that methods have the attribute `help`. */
const HELP = {
  check: 'Checks the routes, controllers, actions, arguments and templates, as propylon check does.',
  explain: `Says which route, controller and action take a request, and why others do not.

@param path path, percent-encoded, with or without a query: /books/7
@param method GET, POST, …`,
  last_error: 'Returns the last unexpected error of a request, with its stack and the source around it.',
  routes: 'Lists the routes in the order in which they are matched.',
  send: `Sends a request to the application, and returns the status, the header fields and the beginning of the body.

@param method GET, POST, …
@param path path with a query: /books?page=2
@param headers header fields by name
@param body text of the body`,
}

/** The development server, as its tools use it. */
export interface Assisted {
  /** The project's folder. */
  readonly root: string
  /** Arguments of Node that run the command line. */
  readonly command: readonly string[]
  /**
   * Returns the current application.
   *
   * @throws Error - it does not load.
   */
  application(): Promise<WSGICallable>
  /** Returns the text of the last error with its source. Undefined if there was none. */
  lastError(): string | undefined
  /** Sends a request to the application. */
  fetch(request: Request): Promise<Response>
}

/**
 * Returns the application that serves the tools. It answers requests from this machine that have the key.
 *
 * @param key - the token that clients send as `Authorization: Bearer KEY`.
 */
export function assistantTools(assisted: Assisted, key: string): WSGIApplication {
  class DevelopmentController extends RPCController {
    static faces = ['mcp']
    static title = 'Propylon development server'
    static override description =
      'Tools of a running Propylon application: its routes, errors and findings, and requests to it. Every answer is about the current files.'
    static override signatures = {
      check: callSignature('struct'),
      explain: callSignature('struct', 'string', 'string'),
      last_error: callSignature('string'),
      routes: callSignature('array'),
      send: callSignature('struct', 'string', 'string', 'struct', 'string'),
    }

    __before__() {
      if (!safeEqual(this.request.header('authorization') ?? '', `Bearer ${key}`)) {
        abort(401, 'Send the key that propylon serve has printed: Authorization: Bearer KEY')
      }
    }

    async routes() {
      return (await routedBy(assisted)).mapper.table()
    }

    async explain(path: string, method = 'GET') {
      const { mapper } = await routedBy(assisted)
      const [target = '', query = ''] = path.split(/\?(.*)/s, 2)
      const resolution = mapper.resolve(method, target, { query })
      if (resolution.kind !== 'match') {
        const near = mapper.explain(method, target, { query })
        return { ...resolution, near: near.map(({ route, detail }) => ({ route: route.path, detail })) }
      }
      const { route, match, allow } = resolution
      return { kind: 'match', route: route.path, match: { ...match }, allow }
    }

    last_error() {
      return assisted.lastError() ?? 'There has been no error.'
    }

    async check() {
      return { findings: await findingsOf(assisted) }
    }

    async send(method: string, path: string, headers: Readonly<Record<string, unknown>> = {}, body = '') {
      return sendRequest(
        { method, path, headers, body },
        (request) => assisted.fetch(request),
        this.request.signal,
      )
    }

    static {
      for (const [name, help] of Object.entries(HELP))
        Reflect.set(Reflect.get(this.prototype, name), 'help', help)
    }
  }
  const map = new Mapper().rpc('development', ASSISTANT_PATH.replace(/\/mcp$/, ''))
  const tools = new FrameworkApp({ map, controllers: { development: DevelopmentController } })
  return (environ, start_response) =>
    (isLocal(environ) ? tools : new HTTPNotFound()).wsgi(environ, start_response)
}

/** @throws JSONRPCError - the application does not load, or has no routes. */
async function routedBy(assisted: Assisted): Promise<FrameworkApp> {
  let app: WSGICallable
  try {
    app = await assisted.application()
  } catch (error) {
    throw new JSONRPCError(422, `The application does not load: ${errorMessage(error)}`)
  }
  if (isFrameworkApp(app)) return app
  throw new JSONRPCError(422, 'The application is not a FrameworkApp.')
}

/** Runs `propylon check --json` in a process of its own, which loads the current files. */
function findingsOf({ command, root }: Assisted): Promise<readonly unknown[]> {
  const options = { cwd: root, timeout: CHECK_TIMEOUT, maxBuffer: 2 ** 23 }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...command, 'check', '--json'], options, (error, stdout, stderr) => {
      try {
        const findings: unknown = JSON.parse(stdout)
        resolve(Array.isArray(findings) ? findings : [findings])
      } catch {
        reject(new JSONRPCError(422, `propylon check failed: ${stderr || errorMessage(error)}`))
      }
    })
  })
}

/** Returns true for a request from this machine to a local host. */
function isLocal(environ: Environ): boolean {
  const address = environ.REMOTE_ADDR ?? ''
  return /^(?:::ffff:)?127\.|^::1$/.test(address) && isLocalHost(hostOf(environ))
}
