/** Checked by the compiler: accepted code must compile, and each `@ts-expect-error` must be an error. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HTTPException, WSGIController } from 'propylon'
import {
  authenticateForm,
  cached,
  decorate,
  dispatchOn,
  formResult,
  https,
  invalid,
  jsonify,
  restrict,
  validate,
} from 'propylon/decorators'
import * as v from 'valibot'

const plain = v.object({ name: v.string(), age: v.pipe(v.string(), v.transform(Number)) })
const listed = v.object({
  tags: v.array(v.string()),
  names: v.optional(v.array(v.string())),
  note: v.string(),
})

class TypedController extends WSGIController {
  nothing() {}
  text(id: string, format = 'html') {
    return id + format
  }
  async later({ id }: { id: string }) {
    return { id }
  }
  *chunks() {
    yield 'chunk'
  }
  returns_undefined() {
    return undefined
  }
  number = 5
}

describe('the types of decorators', () => {
  it('accept any action', () => {
    const any = [
      restrict('POST'),
      https(),
      authenticateForm,
      dispatchOn({ PUT: 'returns_undefined' }),
      validate(plain),
    ] as const
    decorate(class extends TypedController {}, {
      nothing: [...any, cached({ expires: 1 })],
      text: [...any, cached({ expires: 1 }), jsonify],
      later: [...any, cached({ expires: 1 }), jsonify],
      chunks: [...any],
    })
  })

  it('refuse a field', () => {
    class Wrong extends TypedController {}
    assert.throws(
      // @ts-expect-error a field is no method
      () => decorate(Wrong, { number: [restrict('GET')] }),
      TypeError,
    )
  })

  it('refuse jsonify for results that JSON cannot represent', () => {
    class Wrong extends TypedController {
      returns_bigint() {
        return 1n
      }
    }
    // @ts-expect-error undefined
    decorate(Wrong, { returns_undefined: [jsonify] })
    // @ts-expect-error nothing at all
    decorate(Wrong, { nothing: [jsonify] })
    // @ts-expect-error a bigint
    decorate(Wrong, { returns_bigint: [jsonify] })
  })

  it('refuse a factory that is not called', () => {
    class Wrong extends TypedController {}
    // @ts-expect-error https is called: https()
    decorate(Wrong, { nothing: [https] })
    // @ts-expect-error jsonify is not called
    assert.throws(() => jsonify(), TypeError)
  })

  it('require methods in upper case', () => {
    // @ts-expect-error lower case
    assert.throws(() => restrict('post'), TypeError)
    // @ts-expect-error none
    assert.throws(() => restrict(), TypeError)
    // @ts-expect-error lower case
    assert.throws(() => dispatchOn({ post: 'create' }), TypeError)
  })

  it('require lists for the fields that are arrays', () => {
    validate(listed, { lists: ['tags', 'names'] })
    validate(plain, { form: 'new', onGet: true, from: 'params' })
    // @ts-expect-error the schema has arrays
    validate(listed)
    // @ts-expect-error the schema has arrays
    validate(listed, { form: 'new' })
    // @ts-expect-error note is text
    validate(listed, { lists: ['note'] })
    // @ts-expect-error the schema has no arrays
    validate(plain, { lists: ['name'] })
    // @ts-expect-error an unknown source
    validate(plain, { from: 'body' })
    // @ts-expect-error not a schema
    assert.throws(() => validate({}), TypeError)
  })

  it('require the methods that options name', () => {
    class Named extends TypedController {
      static {
        decorate(this, {
          nothing: [validate(plain, { form: 'text' }), dispatchOn({ POST: 'text', PUT: 'later' })],
          later: [validate(listed, { lists: ['tags', 'names'], form: 'nothing', onGet: true })],
        })
        // @ts-expect-error Property 'txt' is missing
        decorate(this, { nothing: [validate(plain, { form: 'txt' })] })
        // @ts-expect-error Property 'txt' is missing
        decorate(this, { nothing: [validate(listed, { lists: ['tags', 'names'], form: 'txt' })] })
        // @ts-expect-error a field is no method
        decorate(this, { nothing: [validate(plain, { form: 'number' })] })
        // @ts-expect-error Property 'txt' is missing
        decorate(this, { nothing: [dispatchOn({ POST: 'text', PUT: 'txt' })] })
        const unknown: string = 'text'
        decorate(this, { nothing: [validate(plain, { form: unknown }), dispatchOn({ POST: unknown })] })
        // @ts-expect-error an unknown option
        assert.throws(() => validate(plain, { fom: 'text' }), /no option "fom"\. Did you mean form\?/)
      }
    }
    assert.ok(Named)
  })

  it('refuse messages for fields that the schema does not have', () => {
    assert.throws(() => invalid({ anything: 'is wrong' }), HTTPException)
    assert.throws(() => invalid<typeof plain>({ name: 'is wrong', '': ['is', 'wrong'] }), HTTPException)
    // @ts-expect-error the schema has no field email
    assert.throws(() => invalid<typeof plain>({ email: 'is wrong' }), HTTPException)
    // @ts-expect-error a message is text
    assert.throws(() => invalid({ name: 5 }), TypeError)
  })

  it('return the output type of the schema', () => {
    function read(controller: WSGIController): [string, number] {
      const { name, age } = formResult(controller, plain)
      // @ts-expect-error the schema has no such field
      formResult(controller, plain).email
      // @ts-expect-error a number
      const wrong: string = age
      return [name, Number(wrong)]
    }
    assert.throws(() => read(new TypedController()), /was not validated with this schema/)
  })

  it('accept a declaration of formResult', () => {
    class Declaring extends WSGIController {
      declare formResult: v.InferOutput<typeof plain>
      create() {
        return this.formResult.name
      }
    }
    decorate(Declaring, { create: [validate(plain)] })
  })

  it('require expires', () => {
    // @ts-expect-error no time
    assert.throws(() => cached({}), RangeError)
    // @ts-expect-error no query field
    cached({ expires: 1, query: [1] })
  })
})
