/** Sessions in cookies: what is kept is found again, and nothing that was changed is accepted. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { memoryStore } from 'propylon/sessions'
import { bytes, place } from '../arbitraries.ts'
import { ask } from '../ask.ts'
import { property, type Subject } from '../property.ts'

const SECRET = 'a secret of more than thirty-two characters'

class SessionController extends WSGIController {
  write() {
    const { environ } = this.request
    this.session.set('value', JSON.parse(String(environ['fuzz.value'])))
    return 'written'
  }
  read() {
    return JSON.stringify(this.session.get('value') ?? null)
  }
}

const KINDS = ['signed', 'encrypted', 'stored'] as const
type Kind = (typeof KINDS)[number]

function appWith(kind: Kind, secret: string | readonly string[], name = 'session'): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper().connect('/{action}', { controller: 'session' }),
    controllers: { session: SessionController },
    session: {
      secret,
      cookie: { name },
      ...(kind === 'encrypted' ? { encrypt: true } : {}),
      ...(kind === 'stored' ? { store: memoryStore() } : {}),
    },
  })
}

const apps: Readonly<Record<Kind, FrameworkApp>> = {
  signed: appWith('signed', SECRET),
  encrypted: appWith('encrypted', SECRET),
  stored: appWith('stored', SECRET),
}

const kind = fc.constantFrom(...KINDS)
const value = fc.jsonValue({ maxDepth: 2 }).map((each) => JSON.stringify(each))

/** Keeps a value, and returns the value of the cookie. */
async function write(app: FrameworkApp, json: string): Promise<string> {
  const answer = await ask(app, { path: '/write', extra: { 'fuzz.value': json } })
  assert.equal(answer.status, 200)
  const [, sent] = /^\w+=([^;]*)/.exec(answer.header('set-cookie') ?? '') ?? []
  assert.ok(sent)
  return sent
}

/** Returns the value that the session of a cookie has, as JSON. */
async function read(app: FrameworkApp, cookie: string, name = 'session'): Promise<string> {
  const answer = await ask(app, { path: '/read', headers: [['Cookie', `${name}=${cookie}`]] })
  assert.equal(answer.status, 200)
  return answer.text
}

export const sessions: Subject = {
  name: 'sessions',
  properties: [
    property('a value is found again', fc.record({ kind, value }), async ({ kind, value }) => {
      const cookie = await write(apps[kind], value)
      assert.deepEqual(JSON.parse(await read(apps[kind], cookie)), JSON.parse(value))
    }),
    property(
      'no flipped bit is accepted',
      fc.record({
        kind,
        place,
        bit: fc.nat(7),
        value: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      }),
      async ({ kind, place, bit, value }) => {
        const cookie = await write(apps[kind], JSON.stringify(value))
        const at = Math.min(Math.floor(place * cookie.length), cookie.length - 1)
        const flipped = String.fromCharCode(cookie.charCodeAt(at) ^ (1 << bit))
        const changed = cookie.slice(0, at) + flipped + cookie.slice(at + 1)
        assert.equal(await read(apps[kind], changed.replace(/[^\x20-\xff]/g, '?')), 'null', changed)
      },
    ),
    property(
      'no other cookie is accepted: cut, joined, of another name, secret or kind, or made up',
      fc.record({ kind, other: kind, value, place, text: bytes(40) }),
      async ({ kind, other, value, place, text }) => {
        if (value === 'null') return
        const cookie = await write(apps[kind], value)
        const cut = cookie.slice(0, Math.floor(place * cookie.length))
        for (const each of [
          cut,
          cookie + cookie,
          `${cookie}A`,
          `A${cookie}`,
          cookie.toLowerCase(),
          `${cookie}=`,
          `${cookie}.`,
        ]) {
          if (each !== cookie) assert.equal(await read(apps[kind], each), 'null', each)
        }
        if (kind !== other) assert.equal(await read(apps[other], cookie), 'null')
        assert.equal(await read(appWith(kind, `another ${SECRET}`), cookie), 'null')
        assert.equal(await read(appWith(kind, SECRET, 'login'), cookie, 'login'), 'null')
        assert.equal(await read(apps[kind], text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')), 'null')
      },
    ),
  ],
}
