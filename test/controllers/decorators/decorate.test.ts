import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from 'propylon'
import { decorate, jsonify, type MethodContext } from 'propylon/decorators'
import { appWith } from './sending.ts'

type Text = () => string

/** A decorator that adds a prefix to the text that a method returns. */
function prefix(letter: string) {
  return (method: Text): Text => {
    return function (this: unknown): string {
      return letter + method.call(this)
    }
  }
}

describe('decorate()', () => {
  it('applies the last decorator first, as decorator syntax does', () => {
    class Letters {
      own = 'x'
      text() {
        return this.own
      }
    }
    decorate(Letters, { text: [prefix('a'), prefix('b')] })
    assert.equal(new Letters().text(), 'abx')
  })

  it('defines a method that is not enumerable', () => {
    class Letters {
      text() {
        return 'x'
      }
    }
    decorate(Letters, { text: [prefix('a')] })
    assert.deepEqual(Object.keys(Letters.prototype), [])
  })

  class LettersController extends WSGIController {
    decorated(id = 'x') {
      return id
    }
    inherited(id = 'x') {
      return id
    }

    static {
      decorate(this, { decorated: [jsonify] })
    }
  }
  class SubController extends LettersController {
    static {
      decorate(this, { inherited: [() => undefined] })
    }
  }
  const { send } = appWith(SubController)

  for (const [path, text] of [
    ['/decorated/joe', '"joe"'],
    ['/decorated', '"x"'],
    ['/inherited/joe', 'joe'],
    ['/inherited', 'x'],
  ] as const) {
    it(`keeps the parameters of the action: ${path} returns ${text}`, async () => {
      assert.equal((await send(path)).text, text)
    })
  }

  describe('with a decorator of the application', () => {
    type Greet = (this: WSGIController, id: string) => string
    const wrappers: readonly (readonly [string, (method: Greet) => Greet])[] = [
      [
        'takes a rest parameter',
        (method) =>
          function (...args) {
            return method.apply(this, args)
          },
      ],
      ['has no source', (method) => new Proxy(method, {})],
      [
        'names the parameter',
        (method) =>
          function (id) {
            return method.call(this, id)
          },
      ],
    ]
    for (const [what, wrap] of wrappers) {
      it(`passes the arguments of the action to a function that ${what}`, async () => {
        class OwnController extends WSGIController {
          greet(id: string) {
            return `Hello, ${id}!`
          }

          static {
            decorate(this, { greet: [wrap, wrap] })
          }
        }
        assert.equal((await appWith(OwnController).send('/greet/joe')).text, 'Hello, joe!')
      })
    }

    it('passes the arguments that its function names, if they are others', async () => {
      class OwnController extends WSGIController {
        greet(id: string) {
          return `Hello, ${id}!`
        }

        static {
          const byAction = (method: (id: string) => string) =>
            function (this: WSGIController, action: string) {
              return method.call(this, action)
            }
          decorate(this, { greet: [byAction] })
        }
      }
      assert.equal((await appWith(OwnController).send('/greet/joe')).text, 'Hello, greet!')
    })
  })

  it('decorates an inherited method for the subclass only', () => {
    class Base {
      text() {
        return 'x'
      }
    }
    class Sub extends Base {}
    decorate(Sub, {
      text: [
        prefix('a'),
        (method) => {
          Object.assign(method, { marked: true })
        },
      ],
    })
    assert.equal(new Sub().text(), 'ax')
    assert.equal(new Base().text(), 'x')
    assert.equal('marked' in Base.prototype.text, false)
  })

  it('passes a context to decorators', () => {
    let received: MethodContext | undefined
    class Letters {
      text() {
        return 'x'
      }
    }
    decorate(Letters, {
      text: [
        (_method, context) => {
          received = context
        },
      ],
    })
    assert.equal(received?.kind, 'method')
    assert.equal(received?.name, 'text')
    assert.equal(received?.static, false)
    assert.equal(received?.private, false)
    const letters = new Letters()
    assert.equal(received?.access.has(letters), true)
    assert.equal(received?.access.get(letters), letters.text)
    assert.throws(() => received?.addInitializer(() => {}), /A decorator of text calls addInitializer\(\)/)
  })

  it('refuses a missing method, a field and a getter', () => {
    class Letters {
      text?: Text
      field = () => 'x'
      get computed(): Text {
        return () => 'x'
      }
    }
    assert.throws(() => decorate(Letters, { text: [] }), /Letters has no method text/)
    assert.throws(() => decorate(Letters, { field: [prefix('a')] }), /Letters has no method field/)
    assert.throws(() => decorate(Letters, { computed: [prefix('a')] }), /Letters has no method computed/)
  })

  it('refuses a decorator that returns text', () => {
    class Letters {
      text() {
        return 'x'
      }
    }
    const odd: unknown = () => 'text'
    assert.throws(
      () => decorate(Letters, { text: [odd as (method: Text) => Text] }),
      /A decorator of Letters.text returned string/,
    )
  })

  it('has types that refuse other decorators and names', () => {
    class Letters {
      text() {
        return 'x'
      }
      number() {
        return 1
      }
    }
    decorate(Letters, {
      text: [prefix('a')],
      // @ts-expect-error -- the decorator is for methods that return text
      number: [prefix('a')],
    })
    // @ts-expect-error -- there is no such method
    assert.throws(() => decorate(Letters, { nothing: [prefix('a')] }), TypeError)
  })
})
