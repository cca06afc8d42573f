/** An official client signs in at an authorization server, and calls guarded actions with the token. */
import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { abort, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { type ServerHandle, serve } from 'propylon/node'
import { CookieJar } from 'tough-cookie'
import { type ClientPackage, clientPackage, imported } from './packages.ts'

/** The part of `oidc-provider` that the test uses. */
type Provider = new (
  issuer: string,
  configuration: object,
) => { callback(): RequestListener; on(event: string, listener: (...details: unknown[]) => void): void }

let authorization: Server
let issuer: string
let application: ServerHandle
let url: URL
let packages: ClientPackage

/** Checks the token of a request, and its scope. */
abstract class GuardedController extends WSGIController {
  static scope: string

  async __before__() {
    const { scope } = this.constructor as typeof GuardedController
    const [, token] = /^Bearer (.+)$/i.exec(this.request.header('authorization') ?? '') ?? []
    if (token === undefined) abort(401, 'Sign in.')
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
    const verified = await jwtVerify(token, keys, { issuer, audience: String(url) }).catch(() => undefined)
    if (verified === undefined)
      abort(401, 'The token is not valid.', { 'WWW-Authenticate': 'Bearer error="invalid_token"' })
    if (!String(verified.payload.scope).split(' ').includes(scope)) abort(403, `The token lacks the scope ${scope}.`)
  }
}

class BooksController extends GuardedController {
  static override scope = 'books:read'
  static security = [{ bearer: ['books:read'] }]
  static tools = ['index']

  index() {
    return { books: ['Walden'] }
  }
}

class OrdersController extends GuardedController {
  static override scope = 'orders:write'
  static security = [{ bearer: ['orders:write'] }]
  static tools = ['create']

  create() {
    return { ordered: true }
  }
}

const REDIRECT_URL = 'http://localhost/callback'

/** A client of the authorization server that has no secret. */
const CLIENT = {
  application_type: 'native',
  redirect_uris: [REDIRECT_URL],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** Starts an authorization server that has the client and issues tokens for the application. */
async function startAuthorization(): Promise<void> {
  authorization = createServer()
  await new Promise<void>((resolve) => void authorization.listen(0, 'localhost', resolve))
  issuer = `http://localhost:${(authorization.address() as AddressInfo).port}`
  const { default: Constructor } = (await imported('oidc-provider')) as unknown as { default: Provider }
  const provider = new Constructor(issuer, {
    scopes: ['openid', 'offline_access', 'books:read', 'orders:write'],
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: 'books:read orders:write',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
        useGrantedResource: () => true,
      },
    },
    clients: [{ client_id: 'test', ...CLIENT }],
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  })
  authorization.on('request', provider.callback())
}

/** The state of a client that signs in: its tokens, and the user in front of the browser. */
class SignIn {
  readonly redirectUrl = REDIRECT_URL
  readonly clientMetadata = CLIENT
  /** The scopes that the client asked for. */
  scopes: string[] = []
  callback: URLSearchParams | undefined
  #discovery: unknown
  #tokens: unknown
  #verifier = ''

  clientInformation() {
    return { client_id: 'test' }
  }
  discoveryState() {
    return this.#discovery
  }
  saveDiscoveryState(state: unknown) {
    this.#discovery = state
  }
  tokens() {
    return this.#tokens
  }
  saveTokens(tokens: unknown) {
    this.#tokens = tokens
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
  async redirectToAuthorization(start: URL) {
    this.scopes.push(start.searchParams.get('scope') ?? '')
    this.callback = await signIn(start)
  }
}

/** Visits the pages of the authorization server as a user: signs in and consents. */
async function signIn(start: URL): Promise<URLSearchParams> {
  const jar = new CookieJar()
  let target = start
  let body: URLSearchParams | undefined
  for (let step = 0; step < 20; step++) {
    const response = await fetch(target, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Cookie: await jar.getCookieString(String(target)) },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    for (const cookie of response.headers.getSetCookie()) await jar.setCookie(cookie, String(target))
    body = undefined
    const location = response.headers.get('location')
    if (location?.startsWith(REDIRECT_URL)) return new URL(location).searchParams
    if (location !== null) {
      target = new URL(location, target)
      continue
    }
    const page = await response.text()
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
    if (prompt === undefined) throw new Error(`${target}: ${response.status} ${page.slice(0, 500)}`)
    body = new URLSearchParams({ prompt, login: 'joe', password: 'x' })
  }
  throw new Error('The sign-in did not end.')
}

before(async () => {
  await startAuthorization()
  const app = new FrameworkApp({
    map: new Mapper().resource('book', 'books', { only: ['index'] }).resource('order', 'orders', { only: ['create'] }),
    controllers: { books: BooksController, orders: OrdersController },
    logger: { info() {}, warn() {}, error: console.error },
    mcp: { name: 'library', authorizationServers: [issuer] },
  })
  application = await serve(app)
  url = new URL(`http://localhost:${application.port}/mcp`)
  packages = await clientPackage()
})

after(async () => {
  await application.close()
  authorization.closeAllConnections()
  authorization.close()
})

describe('a client without a token', () => {
  it('finds the authorization server by the 401 of a call', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'books_index' } }
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) })
    assert.equal(response.status, 401)
    const metadata = `http://localhost:${application.port}/.well-known/oauth-protected-resource/mcp`
    assert.equal(
      response.headers.get('www-authenticate'),
      `Bearer realm="application", scope="books:read", resource_metadata="${metadata}"`,
    )
    assert.deepEqual(await (await fetch(metadata)).json(), {
      resource: String(url),
      resource_name: 'library',
      authorization_servers: [issuer],
      scopes_supported: ['books:read', 'orders:write'],
      bearer_methods_supported: ['header'],
    })
  })

  for (const mode of ['legacy', { pin: '2026-07-28' }]) {
    it(`signs in, calls, and asks for a further scope, in the mode ${JSON.stringify(mode)}`, async () => {
      const provider = new SignIn()
      const connect = async () => {
        const transport = new packages.StreamableHTTPClientTransport(url, { authProvider: provider })
        const client = new packages.Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
        await client.connect(transport)
        return { client, transport }
      }
      const { client, transport } = await connect()
      await assert.rejects(client.callTool({ name: 'books_index', arguments: {} }), {
        name: 'UnauthorizedError',
      })
      assert.ok(provider.callback)
      await transport.finishAuth(provider.callback)
      const { content } = await client.callTool({ name: 'books_index', arguments: {} })
      assert.deepEqual(content, [{ type: 'text', text: '{"books":["Walden"]}' }])

      await assert.rejects(client.callTool({ name: 'orders_create', arguments: {} }))
      await transport.finishAuth(provider.callback)
      const ordered = await client.callTool({ name: 'orders_create', arguments: {} })
      assert.deepEqual(ordered.content, [{ type: 'text', text: '{"ordered":true}' }])
      assert.deepEqual(
        provider.scopes.map((scope) => scope.split(' ').sort()),
        [['books:read'], ['books:read', 'orders:write']],
      )
      await client.close()
    })
  }
})
