import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parametersOf, takesParametersOf } from '../../src/controllers/parameters.ts'
import { decorate, type MethodContext } from '../../src/decorators/index.ts'

type Text = () => string

/** A decorator that puts a letter before what a method returns. */
function prefix(letter: string) {
  return (method: Text): Text => {
    function wrapper(this: unknown): string {
      return letter + method.call(this)
    }
    takesParametersOf(wrapper, method)
    return wrapper
  }
}

describe('decorate()', () => {
  it('applies decorators as the syntax does, the last first', () => {
    class Letters {
      own = 'x'
      text() {
        return this.own
      }
    }
    decorate(Letters, { text: [prefix('a'), prefix('b')] })
    assert.equal(new Letters().text(), 'abx')
  })

  it('keeps the method a method: not enumerable, and its parameters known', () => {
    class Letters {
      text(id = 'x') {
        return id
      }
    }
    decorate(Letters, { text: [prefix('a')] })
    assert.deepEqual(Object.keys(Letters.prototype), [])
    assert.deepEqual(parametersOf(Letters.prototype.text), {
      kind: 'positional',
      names: [{ name: 'id', required: false }],
    })
  })

  it('decorates an inherited method for the subclass alone', () => {
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

  it('tells decorators what they decorate', () => {
    let told: MethodContext | undefined
    class Letters {
      text() {
        return 'x'
      }
    }
    decorate(Letters, {
      text: [
        (_method, context) => {
          told = context
        },
      ],
    })
    assert.equal(told?.kind, 'method')
    assert.equal(told?.name, 'text')
    assert.equal(told?.static, false)
    assert.equal(told?.private, false)
    assert.equal(told?.access.has(new Letters()), true)
    assert.throws(() => told?.addInitializer(() => {}), TypeError)
  })

  it('refuses a method that is not there, and what is no method', () => {
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

  it('refuses a decorator that returns no function', () => {
    class Letters {
      text() {
        return 'x'
      }
    }
    const odd: unknown = () => 'text'
    assert.throws(() => decorate(Letters, { text: [odd as (method: Text) => Text] }), /returned something/)
  })

  it('is checked by the compiler', () => {
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
