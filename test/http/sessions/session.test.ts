import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { abort, FrameworkApp, forward, Mapper, Response, type Session, WSGIController } from 'propylon'
import { createEnviron, run } from 'propylon/wsgi'
import { KINDS, type Step, secret, visitor } from './visiting.ts'

for (const [kind, options] of KINDS) {
  describe(`a session ${kind}`, () => {
    it('returns the values of the last request', async () => {
      const { visit, ask } = visitor(options())
      await visit((session) => void session.set('user', 'ann').set('list', [1, null, { a: true }]))
      assert.deepEqual(await ask((session) => session.toJSON()), {
        user: 'ann',
        list: [1, null, { a: true }],
      })
    })

    it('returns any JSON value as it was set', async () => {
      const { visit, ask } = visitor(options())
      const key = fc.string({ maxLength: 5 }).filter((name) => name !== '_flash')
      await fc.assert(
        fc.asyncProperty(key, fc.jsonValue({ depthSize: 'xsmall', noUnicodeString: false }), async (name, value) => {
          const json = JSON.parse(JSON.stringify(value))
          await visit((session) => {
            session.clear()
            session.set(name, json)
          })
          assert.deepEqual(await ask((session) => session.get(name)), json)
        }),
        { numRuns: 50 },
      )
    })

    it('is empty without a cookie, and then sets none', async () => {
      const { visit } = visitor(options())
      const { text, setCookie } = await visit((session) => String(session.empty))
      assert.deepEqual([text, setCookie], ['true', undefined])
    })

    it('sends no cookie when nothing has changed', async () => {
      const { visit } = visitor(options())
      await visit((session) => void session.set('a', 1))
      assert.equal((await visit(() => undefined)).setCookie, undefined)
      assert.equal((await visit((session) => String(session.get('a')))).setCookie, undefined)
    })

    it('forgets a value that is deleted', async () => {
      const { visit, ask } = visitor(options())
      await visit((session) => void session.set('a', 1).set('b', 2))
      assert.equal(await ask((session) => session.delete('a')), true)
      assert.deepEqual(await ask((session) => session.toJSON()), { b: 2 })
      assert.equal(await ask((session) => session.delete('a')), false)
    })

    it('accepts the name __proto__', async () => {
      const { visit, ask } = visitor(options())
      const value = JSON.parse('{ "__proto__": { "polluted": true } }')
      await visit((session) => void session.set('__proto__', value))
      assert.deepEqual(await ask((session) => session.get('__proto__')), value)
      assert.equal(Reflect.get({}, 'polluted'), undefined)
    })

    for (const [label, end] of [
      ['is cleared', (session: Session) => session.clear()],
      ['is destroyed', (session: Session) => session.destroy()],
      ['has no values left', (session: Session) => void session.delete('a')],
    ] as const) {
      it(`deletes the cookie once it ${label}`, async () => {
        const browser = visitor(options())
        await browser.visit((session) => void session.set('a', 1))
        const { setCookie } = await browser.visit(end)
        assert.match(setCookie ?? '', /^session=; Max-Age=0; Path=\/; .*HttpOnly/)
        assert.equal(browser.cookie, '')
      })
    }

    it('begins anew with what is set after it was destroyed', async () => {
      const { visit, ask } = visitor(options())
      await visit((session) => void session.set('user', 'ann').flash('old', 1))
      const { headers } = await visit((session) => {
        session.destroy()
        session.flash('notice', 'bye')
      })
      assert.equal(headers.filter(([name]) => name === 'Set-Cookie').length, 1)
      const seen = await ask((session) => [session.toJSON(), session.flashed('notice'), session.flashed('old')])
      assert.deepEqual(seen, [{}, 'bye', undefined])
    })

    it('keeps its values when it is regenerated, except for the token of its forms', async () => {
      const { visit, ask } = visitor(options())
      await visit((session) => void session.set('user', 'ann').set('_authentication_token', 'x'))
      await visit((session) => void session.regenerate().set('role', 'admin'))
      assert.deepEqual(await ask((session) => session.toJSON()), { user: 'ann', role: 'admin' })
    })

    it('does not save a value that was changed without set', async () => {
      const { visit, ask } = visitor(options())
      const cart = ['apple']
      await visit((session) => {
        session.set('cart', cart)
        cart.push('pear')
      })
      assert.deepEqual(await ask((session) => session.get('cart')), ['apple'])
    })

    it('is not saved when the action fails', async () => {
      const { visit, ask } = visitor(options())
      await visit((session) => void session.set('a', 1))
      const failing: Step = (session) => {
        session.set('a', 2)
        throw new Error('broken')
      }
      await assert.rejects(visit(failing), /broken/)
      assert.equal(await ask((session) => session.get('a')), 1)
    })

    it('is opened anew by an application that the action forwards to', async () => {
      const { visit, app } = visitor(options())
      let visits = 0
      const step: Step = (session) => {
        visits += 1
        session.set('visits', visits)
        return visits === 1 ? forward(app) : 'inner'
      }
      assert.equal((await visit(step)).text, 'inner')
    })

    it('cannot be changed once it was saved', async () => {
      const { visit } = visitor(options())
      const streaming: Step = (session) =>
        (function* () {
          yield 'text'
          session.set('late', 1)
        })()
      await assert.rejects(visit(streaming), /session\.set\(\) was called after the session was saved/)
    })

    it('belongs to the head of an action that calls start_response after it used the session', async () => {
      const { visit, ask } = visitor(options())
      const starting: Step = (session, controller) => {
        session.set('a', 1)
        const { start_response } = controller._get_method_args() as { start_response: StartLike }
        const write = start_response('201 Created', [['Content-Type', 'text/plain']])
        write('one ')
        return ['two']
      }
      const { status, text, header } = await visit(starting)
      assert.deepEqual([status, text, header('vary')], ['201 Created', 'one two', 'Cookie'])
      assert.equal(await ask((session) => session.get('a')), 1)
    })

    describe('with flashed values', () => {
      it('keeps them for the next request that reads them', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.flash('notice', 'saved').flash('more', 1))
        const read = (session: Session) => [session.flashed('notice'), session.flashed('more')]
        assert.deepEqual(await ask(read), ['saved', 1])
        assert.deepEqual(await ask(read), [undefined, undefined])
      })

      it('keeps those that a request does not read', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.set('kept', 1).flash('notice', 'saved').flash('more', 1))
        await visit(() => undefined)
        assert.equal(await ask((session) => session.get('kept')), 1)
        assert.equal(await ask((session) => session.flashed('more')), 1)
        assert.equal(await ask((session) => session.flashed('notice')), 'saved')
      })

      it('returns them as often as one request reads them', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.flash('notice', 'saved'))
        const read = (session: Session) => [session.flashed('notice'), session.flashed('notice')]
        assert.deepEqual(await ask(read), ['saved', 'saved'])
      })

      it('keeps them when a HEAD request reads them', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.flash('notice', 'saved'))
        await visit((session) => void session.flashed('notice'), { method: 'HEAD' })
        assert.equal(await ask((session) => session.flashed('notice')), 'saved')
      })

      it('sends no cookie when one is looked for that does not exist', async () => {
        const { visit } = visitor(options())
        await visit((session) => void session.set('a', 1))
        const { setCookie } = await visit((session) => void session.flashed('none'))
        assert.equal(setCookie, undefined)
      })

      it('does not return those of the same request', async () => {
        const { ask } = visitor(options())
        assert.equal(await ask((session) => session.flash('notice', 'saved').flashed('notice')), undefined)
      })

      it('keeps all values of a name, in order', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.flash('notice', 'one').flash('notice', 'two').flash('more', []))
        await visit((session) => void session.flash('notice', 'three'))
        const read = (session: Session) => [session.flashes('notice'), session.flashes('more')]
        assert.deepEqual(await ask(read), [['one', 'two', 'three'], [[]]])
        assert.deepEqual(await ask(read), [[], []])
      })

      it('returns the first of a name and removes all', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.flash('notice', 'one').flash('notice', 'two'))
        assert.equal(await ask((session) => session.flashed('notice')), 'one')
        assert.deepEqual(await ask((session) => session.flashes('notice')), [])
      })

      it('keeps one that the request adds which reads the others', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.flash('notice', 'one'))
        const read = (session: Session) => session.flash('notice', 'two').flashes('notice')
        assert.deepEqual(await ask(read), ['one'])
        assert.deepEqual(await ask((session) => session.flashes('notice')), ['two'])
      })

      it('keeps the last 20 that no request reads, and all of one request', async () => {
        const { visit, ask } = visitor(options())
        for (let number = 0; number < 25; number += 1) {
          await visit((session) => void session.flash('notice', number))
        }
        await visit((session) => {
          for (let number = 25; number < 50; number += 1) session.flash('notice', number)
        })
        const numbers = Array.from({ length: 45 }, (_, index) => index + 5)
        assert.deepEqual(await ask((session) => session.flashes('notice')), numbers)
      })

      it('drops them when it is cleared', async () => {
        const { visit, ask } = visitor(options())
        await visit((session) => void session.flash('notice', 'one'))
        await visit((session) => session.clear())
        assert.equal(await ask((session) => session.flashed('notice')), undefined)
      })
    })

    describe('in time', () => {
      const now = 1_000_000_000_000
      const get: Step = (session) => void session.get('a')

      it('slides with each use', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit, ask } = visitor({ ...options(), idle: 3 })
        await visit((session) => void session.set('a', 1))
        for (let round = 0; round < 6; round += 1) {
          context.mock.timers.tick(900)
          assert.equal(await ask((session) => session.get('a')), 1)
        }
      })

      it('ends after idle seconds without use', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit, ask } = visitor({ ...options(), idle: 60 })
        await visit((session) => void session.set('a', 1))
        context.mock.timers.tick(60_001)
        assert.equal(await ask((session) => session.get('a')), undefined)
      })

      it('ends after its lifetime, however it is used', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit, ask } = visitor({ ...options(), lifetime: 100 })
        await visit((session) => void session.set('a', 1))
        for (const [seconds, expected] of [
          [50, 1],
          [49, 1],
          [2, undefined],
        ] as const) {
          context.mock.timers.tick(seconds * 1000)
          assert.equal(await ask((session) => session.get('a')), expected)
          await visit((session) => void (expected === undefined || session.set('b', seconds).regenerate()))
        }
      })

      const day = 24 * 60 * 60

      it('ends if it began in the far future, before the clock was set back', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now: now + 365 * day * 1000 })
        const { visit, ask } = visitor(options())
        await visit((session) => void session.set('a', 1))
        context.mock.timers.setTime(now)
        assert.equal(await ask((session) => session.get('a')), undefined)
      })

      it('goes on, and ends in time, if the clock was set back', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit, ask } = visitor({ ...options(), idle: 14 * day })
        await visit((session) => void session.set('a', 1))
        context.mock.timers.setTime(now + 7 * day * 1000)
        await visit(get)
        context.mock.timers.setTime(now)
        assert.equal(await ask((session) => session.get('a')), 1)
        context.mock.timers.setTime(now + 14 * day * 1000 + 1)
        assert.equal(await ask((session) => session.get('a')), undefined)
      })

      it('has a cookie that ends with the browser', async () => {
        const { setCookie } = await visitor(options()).visit((session) => void session.set('a', 1))
        assert.doesNotMatch(setCookie ?? '', /Max-Age|Expires/)
      })

      it('has a cookie that outlives the browser if it is remembered', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit, ask } = visitor({ ...options(), idle: 60, lifetime: 100 })
        const { setCookie } = await visit((session) => void session.remember(1000).set('a', 1))
        assert.match(setCookie ?? '', /; Max-Age=1000;/)
        context.mock.timers.tick(400_000)
        const later = await visit((session) => void session.set('b', 1))
        assert.match(later.setCookie ?? '; Max-Age=600;', /; Max-Age=600;/)
        context.mock.timers.tick(599_000)
        assert.equal(await ask((session) => session.get('a')), 1)
        context.mock.timers.tick(2000)
        assert.equal(await ask((session) => session.get('a')), undefined)
      })

      it('begins its lifetime anew after it was destroyed', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit, ask } = visitor({ ...options(), lifetime: 100 })
        await visit((session) => void session.set('a', 1))
        context.mock.timers.tick(60_000)
        await visit((session) => {
          session.destroy()
          session.set('a', 2)
        })
        context.mock.timers.tick(60_000)
        assert.equal(await ask((session) => session.get('a')), 2)
      })

      it('sends no cookie when a remembered session is read', async () => {
        const { visit } = visitor(options())
        await visit((session) => void session.remember(1000).set('a', 1))
        assert.equal((await visit(get)).setCookie, undefined)
      })

      it('sends no cookie when a session is read whose lifetime ends first', async (context) => {
        context.mock.timers.enable({ apis: ['Date'], now })
        const { visit } = visitor({ ...options(), idle: 1000, lifetime: 100 })
        await visit((session) => void session.set('a', 1))
        context.mock.timers.tick(50_000)
        assert.equal((await visit(get)).setCookie, undefined)
      })

      it('is not remembered if it is destroyed afterwards', async () => {
        const { visit } = visitor(options())
        const { setCookie } = await visit((session) => {
          session.remember(1000).destroy()
          session.set('a', 1)
        })
        assert.doesNotMatch(setCookie ?? '', /Max-Age/)
      })

      it('is no longer remembered after remember(null)', async () => {
        const { visit } = visitor(options())
        await visit((session) => void session.remember(1000).set('a', 1))
        const { setCookie } = await visit((session) => void session.remember(null))
        assert.match(setCookie ?? '', /^session=[^;]+; Path/)
      })

      it('stays remembered when it is regenerated', async () => {
        const { visit } = visitor(options())
        await visit((session) => void session.remember(1000).set('a', 1))
        const { setCookie } = await visit((session) => void session.regenerate())
        assert.match(setCookie ?? '', /; Max-Age=\d+;/)
      })

      it('has no cookie if it was remembered without a value', async () => {
        const { visit } = visitor(options())
        assert.equal((await visit((session) => void session.remember(1000))).setCookie, undefined)
        await visit(get)
      })
    })

    describe('and the caching headers', () => {
      const rows: [label: string, varies: boolean, use: (session: Session) => unknown][] = [
        ['do not change if the session is opened only', false, () => undefined],
        ['do not change if `changed` is read', false, (session) => session.changed],
        ['name Cookie if a value is read', true, (session) => session.get('a')],
        ['name Cookie if a name is looked up', true, (session) => session.has('a')],
        ['name Cookie if a value is set', true, (session) => session.set('a', 1)],
        ['name Cookie if a value is deleted', true, (session) => session.delete('a')],
        ['name Cookie if the session is cleared', true, (session) => session.clear()],
        ['name Cookie if the session is destroyed', true, (session) => session.destroy()],
        ['name Cookie if a flashed value is read', true, (session) => session.flashed('a')],
        ['name Cookie if a value is flashed', true, (session) => session.flash('a', 1)],
        ['name Cookie if `empty` is read', true, (session) => session.empty],
        ['name Cookie if the session is serialized', true, (session) => JSON.stringify(session)],
      ]
      for (const [label, varies, use] of rows) {
        it(label, async () => {
          const { visit } = visitor(options())
          await visit((session) => void session.set('a', 1))
          const { header } = await visit((session) => void use(session))
          assert.deepEqual(
            [header('vary'), header('cache-control')],
            varies ? ['Cookie', 'private'] : [undefined, undefined],
          )
        })
      }

      it('keep the Cache-Control of the action', async () => {
        const { header } = await visitor(options()).visit((session, controller) => {
          controller.response.cacheControl = 'no-cache'
          session.get('a')
        })
        assert.equal(header('cache-control'), 'no-cache')
      })
    })
  })
}

type StartLike = (status: string, headers: [string, string][]) => (chunk: string) => void

describe('a value of a session', () => {
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  const refused: [label: string, value: unknown, message: RegExp][] = [
    ['undefined', undefined, /The session value user is undefined\. Sessions hold JSON values/],
    ['NaN', Number.NaN, /user is NaN/],
    ['a bigint', 1n, /user is 1\./],
    ['a function', () => 1, /user is the function/],
    ['a symbol', Symbol('x'), /user is a symbol/],
    ['a Date', new Date(), /user is an instance of Date/],
    ['a Map', new Map(), /user is an instance of Map/],
    ['bytes', new Uint8Array(1), /user is an instance of Uint8Array/],
    ['a promise', Promise.resolve(), /user is a promise/],
    ['an instance of a class', new WSGIController(), /user is an instance of WSGIController/],
    ['a Date within it', { born: [{ at: new Date() }] }, /user\.born\[0\]\.at is an instance of Date/],
    ['an undefined member', { nick: undefined }, /user\.nick is undefined/],
    ['a hole', new Array(1), /user\[0\] is undefined/],
    ['itself', cyclic, /user\[0\].* contains itself/],
  ]
  for (const [label, value, message] of refused) {
    for (const method of ['set', 'flash'] as const) {
      it(`that is ${label} is refused by ${method}`, async () => {
        await visitor().visit((session) => {
          assert.throws(() => Reflect.apply(session[method], session, ['user', value]), {
            name: 'TypeError',
            message,
          })
          assert.equal(session.changed, false)
        })
      })
    }
  }

  it('may not have the name of the flashed values', async () => {
    await visitor().visit((session) => {
      assert.throws(() => session.set('_flash', {}), /_flash is reserved/)
    })
  })

  it('may be an object without a prototype', async () => {
    const { visit, ask } = visitor()
    await visit((session) => void session.set('a', Object.assign(Object.create(null), { b: 1 })))
    assert.deepEqual(await ask((session) => session.get('a')), { b: 1 })
  })
})

describe('session.remember', () => {
  for (const seconds of [0, -1, 1.5, Number.NaN, 400 * 24 * 60 * 60 + 1]) {
    it(`refuses ${seconds} seconds`, async () => {
      await visitor().visit((session) => {
        assert.throws(() => session.remember(seconds), /give a whole number of seconds from 1 to 34560000/)
      })
    })
  }
})

describe('an action that called start_response', () => {
  const start = (controller: WSGIController): StartLike => {
    const { start_response } = controller._get_method_args() as { start_response: StartLike }
    return start_response
  }

  it('may not call it again after it used its session', async () => {
    await visitor().visit((session, controller) => {
      session.set('a', 1)
      start(controller)('200 OK', [])
      assert.throws(() => start(controller)('201 Created', []), /start_response was called twice/)
      return []
    })
  })

  it('may still fail after it used its session, which is saved', async () => {
    const { visit, ask } = visitor()
    const { status } = await visit((session, controller) => {
      session.set('a', 1)
      start(controller)('200 OK', [])
      abort(409)
    })
    assert.equal(status, '409 Conflict')
    assert.equal(await ask((session) => session.get('a')), 1)
  })

  it('may not change a session that it did not use before', async () => {
    class LateController extends WSGIController {
      index(start_response: StartLike) {
        start_response('200 OK', [])
        this.session.set('a', 1)
        return ['text']
      }
    }
    const { wsgi } = new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'late', action: 'index' }),
      controllers: { late: LateController },
      session: { secret },
    })
    await assert.rejects(run(wsgi, createEnviron()), /LateController\.index\(\) changed its session after/)
  })
})

describe('a session of another application', () => {
  it('is not that of this one, though the request is the same', () => {
    const environ = createEnviron()
    const [one, two] = [visitor().app, visitor().app]
    const session = one.openSession(environ)
    assert.equal(one.openSession(environ), session)
    assert.notEqual(two.openSession(environ), session)
  })

  it('is not saved by this one', () => {
    const environ = createEnviron()
    const session = visitor().app.openSession(environ)
    assert.throws(() => visitor().app.saveSession(session, environ, new Response()), /belongs to another/)
  })
})
