/** The guides' code for packages that people bring along, with these packages. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { FrameworkApp, Mapper, type Middleware, WSGIController } from 'propylon'
import { memoryStore } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'
import { pageAt } from '../docs/blocks.ts'
import { folderWithPackages, layOut, write } from '../docs/layout.ts'
import { installed } from '../packages/packages.ts'

const folder = folderWithPackages()
const POSTGRES = process.env.PROPYLON_TEST_POSTGRES ?? ''

before(() => {
  for (const name of [
    '@prisma/adapter-pg',
    '@prisma/client',
    '@simplewebauthn/server',
    'better-auth',
    'drizzle-orm',
    'openid-client',
    'prom-client',
    'vitest',
  ]) {
    mkdirSync(join(folder, 'node_modules', dirname(name)), { recursive: true })
    symlinkSync(installed('guides', name), join(folder, 'node_modules', name))
  }
})
after(() => rmSync(folder, { recursive: true }))

/** Lays out a file of a guide and the files that it imports. Returns its path. */
function laidOut(page: string, file: string): string {
  const read = pageAt(`docs/guides/${page}.md`)
  const block = read.blocks.find((each) => each.file === file) ?? assert.fail(file)
  return layOut(join(folder, crypto.randomUUID()), read, block)
}

/** Imports a file beside another one. */
function imported<Module>(path: string, file = ''): Promise<Module> {
  return import(pathToFileURL(join(path, file)).href)
}

describe('Better Auth', () => {
  it('signs people up, and a base class finds them', async () => {
    Object.assign(process.env, {
      ORIGIN: 'http://localhost',
      SECRET: crypto.randomUUID() + crypto.randomUUID(),
    })
    const path = laidOut('packages', 'lib/base.js')
    const from = process.cwd()
    process.chdir(dirname(dirname(path)))
    mkdirSync('var')
    const { MemberController } = await imported<{
      MemberController: new () => WSGIController & { user: object }
    }>(path)
    const { auth, default: controller } = await imported<{
      auth: { options: object }
      default: (typeof FrameworkApp.prototype)['wsgi']
    }>(path, '../../controllers/auth.js')
    process.chdir(from)
    const { getMigrations } = await imported<{
      getMigrations(options: object): Promise<{ runMigrations(): Promise<void> }>
    }>(installed('guides', 'better-auth/dist/db/get-migration.mjs'))
    await (await getMigrations(auth.options)).runMigrations()

    class AccountController extends MemberController {
      index() {
        return this.user
      }
    }
    const app = new FrameworkApp({
      map: new Mapper()
        .connect('/api/auth/{path_info:.*}', { controller: 'auth' })
        .connect('/account', { controller: 'account', action: 'index' }),
      controllers: { auth: controller, account: AccountController },
    })
    const client = new TestApp(app)
    await client.get('/account', { status: 401 })
    const user = { name: 'Ann', email: 'ann@example.com', password: 'correct horse' }
    await client.postJson('/api/auth/sign-up/email', user, {
      headers: { Origin: 'http://localhost' },
      status: 200,
    })
    assert.equal((await client.get('/account')).json<{ email: string }>().email, 'ann@example.com')
  })
})

describe('Drizzle', () => {
  it('has the data of a model', {
    skip: POSTGRES === '' && 'PROPYLON_TEST_POSTGRES is not set',
  }, async () => {
    process.env.DATABASE_URL = POSTGRES
    const path = laidOut('packages', 'model/books.js')
    const { addBook, listBooks } = await imported<{
      addBook(title: string): Promise<object>
      listBooks(): Promise<{ title: string }[]>
    }>(path)
    const { pool } = await imported<{
      pool: { query(text: string): Promise<unknown>; end(): Promise<void> }
    }>(path, '../../config/database.js')
    await pool.query('drop table if exists books')
    await pool.query('create table books (id serial primary key, title text not null)')
    await addBook('Walden')
    assert.deepEqual(
      (await listBooks()).map(({ title }) => title),
      ['Walden'],
    )
    await pool.query('drop table books')
    await pool.end()
  })
})

describe('Prisma', () => {
  it('has the data of a model', {
    skip: POSTGRES === '' && 'PROPYLON_TEST_POSTGRES is not set',
  }, async () => {
    process.env.DATABASE_URL = POSTGRES
    const path = laidOut('packages', 'config/prisma.js')
    const project = dirname(dirname(path))
    const { code = '' } = pageAt('docs/guides/packages.md').blocks.find(({ file }) => file === 'schema.prisma') ?? {}
    write(project, 'schema.prisma', code)
    const prismaCommand = installed('guides', 'prisma/build/index.js')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [prismaCommand, 'generate', '--schema=schema.prisma'],
      {
        cwd: project,
        encoding: 'utf8',
        // The engine of migrations is a download, which `generate` does not run.
        env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
      },
    )
    assert.equal(status, 0, stdout + stderr)
    const { prisma } = await imported<{
      prisma: {
        book: { create(options: object): Promise<object>; findMany(options: object): Promise<{ title: string }[]> }
        $executeRawUnsafe(text: string): Promise<unknown>
        $disconnect(): Promise<void>
      }
    }>(path)
    await prisma.$executeRawUnsafe('drop table if exists books')
    await prisma.$executeRawUnsafe('create table books (id serial primary key, title text not null)')
    await prisma.book.create({ data: { title: 'Walden' } })
    assert.deepEqual(
      (await prisma.book.findMany({ orderBy: { title: 'asc' } })).map(({ title }) => title),
      ['Walden'],
    )
    await prisma.$executeRawUnsafe('drop table books')
    await prisma.$disconnect()
  })
})

/** A passkey of a browser, with a key on the curve P-256. */
class Passkey {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #id = randomBytes(16)
  readonly origin: string

  constructor(origin: string) {
    this.origin = origin
  }

  /** Returns what `startRegistration()` makes of its options. */
  register(challenge: string): object {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    // COSE_Key { 1: 2, 3: -7, -1: 1, -2: x, -3: y } (RFC 9053 §7.1.1), in CBOR.
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    // The identifier of the authenticator, and the length of the id of the credential.
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 16]), this.#id, key])
    const data = Buffer.concat([this.#authenticatorData(0x45), credential])
    const text = (value: string) => Buffer.from(value)
    const attestationObject = Buffer.concat([
      Buffer.from('a363', 'hex'),
      text('fmt'),
      Buffer.from('64', 'hex'),
      text('none'),
      Buffer.from('67', 'hex'),
      text('attStmt'),
      Buffer.from('a068', 'hex'),
      text('authData'),
      Buffer.from([0x58, data.length]),
      data,
    ])
    return this.#sent('webauthn.create', challenge, { attestationObject: attestationObject.toString('base64url') })
  }

  /** Returns what `startAuthentication()` makes of its options. */
  signIn(challenge: string): object {
    const data = this.#authenticatorData(0x05)
    const signed = createHash('sha256').update(this.#clientData('webauthn.get', challenge)).digest()
    const signature = createSign('sha256').update(data).update(signed).sign(this.#keys.privateKey, 'base64url')
    return this.#sent('webauthn.get', challenge, { authenticatorData: data.toString('base64url'), signature })
  }

  /** @param flags - the user is present (1) and verified (4), a credential follows (64). */
  #authenticatorData(flags: number): Buffer {
    const site = createHash('sha256').update(new URL(this.origin).hostname).digest()
    return Buffer.concat([site, Buffer.from([flags]), Buffer.alloc(4)])
  }

  #clientData(type: string, challenge: string): string {
    return JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false })
  }

  #sent(type: string, challenge: string, response: object): object {
    const id = this.#id.toString('base64url')
    const clientDataJSON = Buffer.from(this.#clientData(type, challenge)).toString('base64url')
    const shared = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }
    return { ...shared, response: { clientDataJSON, ...response } }
  }
}

describe('SimpleWebAuthn', () => {
  it('signs in by a passkey, once for each challenge', async () => {
    process.env.ORIGIN = 'http://localhost'
    const { PasskeysController } = await imported<{ PasskeysController: new () => WSGIController }>(
      laidOut('packages', 'controllers/passkeys.js'),
    )
    class AccountController extends WSGIController {
      index() {
        return { user: this.session.get('user') ?? null }
      }
    }
    const signIn = { controller: 'passkeys', action: 'sign_in', conditions: { method: ['POST'] } }
    const app = new FrameworkApp({
      map: new Mapper()
        .connect('/account', { controller: 'account', action: 'index' })
        .resource('passkey', 'passkeys', { only: ['new', 'create'] })
        .connect('/login/passkey', { ...signIn, action: 'challenge', conditions: { method: ['GET'] } })
        .connect('/login/passkey', signIn),
      controllers: { passkeys: PasskeysController, account: AccountController },
      session: { secret: 'thirty-two characters or more ....', store: memoryStore() },
    })
    const challengeOf = async (client: TestApp, path: string) =>
      (await client.get(path, { status: 200 })).json<{ challenge: string }>().challenge
    const passkey = new Passkey('http://localhost')

    const member = new TestApp(app)
    await member.get('/passkeys/new', { status: 401 })
    await member.signIn({ user: 'ann' })
    const registered = passkey.register(await challengeOf(member, '/passkeys/new'))
    await member.postJson('/passkeys', registered, { status: 200 })

    const visitor = new TestApp(app)
    const response = passkey.signIn(await challengeOf(visitor, '/login/passkey'))
    await visitor.postJson('/login/passkey', response, { status: 200 })
    assert.deepEqual((await visitor.get('/account')).json(), { user: 'ann' })

    const other = new TestApp(app)
    await other.postJson('/login/passkey', response, { status: 400 })
    await challengeOf(other, '/login/passkey')
    await other.postJson('/login/passkey', response, { status: 401 })
    const unknown = new Passkey('http://localhost').signIn(await challengeOf(other, '/login/passkey'))
    await other.postJson('/login/passkey', unknown, { status: 401 })
    const elsewhere = new Passkey('http://elsewhere').signIn(await challengeOf(other, '/login/passkey'))
    await other.postJson('/login/passkey', elsewhere, { status: 401 })
    assert.deepEqual((await other.get('/account')).json(), { user: null })
  })
})

describe('openid-client', () => {
  it('signs in a visitor at a provider', async (context) => {
    const issuer = 'https://login.example'
    const keys = await generateKeyPair('RS256', { extractable: true })
    const requests: string[] = []
    context.mock.method(globalThis, 'fetch', async (input: string | URL | Request) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      requests.push(pathname)
      if (pathname === '/.well-known/openid-configuration') {
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
        })
      }
      if (pathname === '/jwks') return Response.json({ keys: [await exportJWK(keys.publicKey)] })
      const id_token = await new SignJWT({})
        .setProtectedHeader({ alg: 'RS256' })
        .setIssuer(issuer)
        .setAudience('shop')
        .setSubject('ann')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(keys.privateKey)
      return Response.json({ access_token: 'a', token_type: 'bearer', id_token })
    })
    Object.assign(process.env, { OIDC_ISSUER: issuer, OIDC_ID: 'shop', OIDC_SECRET: 'secret' })
    const { OauthController } = await imported<{ OauthController: new () => WSGIController }>(
      laidOut('authorization', 'controllers/oauth.js'),
    )
    class HomeController extends WSGIController {
      index() {
        return { user: this.session.get('user') }
      }
    }
    const app = new FrameworkApp({
      map: new Mapper()
        .connect('home', '/', { controller: 'home', action: 'index' })
        .connect('/oauth', { controller: 'oauth', action: 'start' })
        .connect('oauth_callback', '/oauth/callback', { controller: 'oauth', action: 'callback' }),
      controllers: { home: HomeController, oauth: OauthController },
      session: { secret: 'thirty-two characters or more ....' },
    })
    const client = new TestApp(app)
    const { headers } = await client.get('/oauth', { status: 302 })
    const { origin, pathname, searchParams } = new URL(headers.get('location') ?? '')
    assert.deepEqual([origin, pathname, searchParams.get('client_id')], [issuer, '/authorize', 'shop'])
    assert.equal(searchParams.get('redirect_uri'), 'http://localhost/oauth/callback')
    await client.get(`/oauth/callback?code=c&state=${searchParams.get('state')}`, { status: 303 })
    assert.deepEqual((await client.get('/')).json(), { user: 'ann' })
    assert.ok(requests.includes('/token'))
  })
})

describe('prom-client', () => {
  it('counts requests by action', async () => {
    const { metrics, MetricsController } = await imported<{
      metrics: Middleware
      MetricsController: new () => WSGIController
    }>(laidOut('logging', 'lib/metrics.js'))
    const app = new FrameworkApp({
      map: new Mapper().connect('/metrics', { controller: 'metrics', action: 'index' }),
      controllers: { metrics: MetricsController },
      middleware: [metrics],
    })
    const client = new TestApp(app)
    await client.get('/metrics')
    const { text, headers } = await client.get('/metrics')
    assert.match(headers.get('content-type') ?? '', /^text\/plain/)
    assert.match(text, /^http_request_duration_seconds_count\{method="GET",status="200"\} 1$/m)
  })
})

describe('Vitest', () => {
  it('runs tests that use TestApp', () => {
    const project = join(folder, 'vitest')
    const { code = '' } = pageAt('docs/guides/testing.md').blocks.find((each) => each.file === 'vitest.config.ts') ?? {}
    write(project, 'vitest.config.ts', code)
    write(
      project,
      'tests/functional/test_home.ts',
      `import { FrameworkApp, Mapper } from 'propylon'
import { memoryStore } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'
import { expect, test } from 'vitest'

test('a path without a route', async () => {
  const app = new FrameworkApp({ map: new Mapper(), controllers: {} })
  expect((await new TestApp(app).get('/')).status).toBe(404)
})
`,
    )
    const vitest = installed('guides', 'vitest/vitest.mjs')
    const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run'], {
      cwd: project,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /1 passed/)
  })
})
