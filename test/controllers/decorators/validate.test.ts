import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FormFile, Response, WSGIController } from 'propylon'
import { cached, decorate, dispatchOn, formResult, jsonify, restrict, validate } from 'propylon/decorators'
import * as v from 'valibot'
import { appWith } from './sending.ts'

const userForm = v.object({
  name: v.pipe(v.string(), v.trim(), v.minLength(2, 'is too short'), v.regex(/^\w+$/, 'has odd signs')),
  age: v.optional(v.pipe(v.string(), v.transform(Number), v.integer('must be a number'))),
  new_password: v.optional(v.string()),
})
const tagForm = v.object({
  tags: v.pipe(v.array(v.string()), v.maxLength(2, 'are too many')),
  note: v.string(),
})
const sameForm = v.pipe(
  v.object({ one: v.string(), two: v.string() }),
  v.check(({ one, two }) => one === two, 'The two differ'),
)
const fileForm = v.object({ file: v.instance(FormFile, 'must be a file') })

/** A schema whose messages quote the input. */
const quotingForm = v.object({
  name: v.pipe(v.string(), v.email()),
  password: v.optional(v.pipe(v.string(), v.email())),
})

/** An asynchronous schema that counts its calls. */
let calls = 0
const slow: StandardSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'test',
    async validate(value) {
      calls += 1
      return { value: Object.keys(Object(value)) }
    },
  },
}

class FormController extends WSGIController {
  create() {
    return JSON.stringify(formResult(this, userForm))
  }
  checked() {
    return JSON.stringify(this.formResult ?? null)
  }
  new(id = 'new') {
    const { formErrors, formValues } = this.c
    return JSON.stringify({ id, method: this.request.method, formErrors, formValues })
  }
  async update(id: string) {
    return `updated ${id}`
  }
  tags() {
    return JSON.stringify(formResult(this, tagForm))
  }
  same() {
    return 'same'
  }
  async upload() {
    const { file } = formResult(this, fileForm)
    return `${file.filename}: ${await file.text()}`
  }
  search() {
    return JSON.stringify(this.formResult ?? { errors: this.c.formErrors })
  }
  both() {
    return JSON.stringify(formResult(this, userForm))
  }
  page() {
    return `page by ${this.request.method} ${this.c.formErrors === undefined ? 'blank' : 'with errors'}`
  }
  _save() {
    return 'saved'
  }
  _response() {
    return new Response('a page', { headers: { 'X-Own': 'yes' }, contentType: 'text/plain' })
  }
  _refused() {
    return new Response('a conflict', { status: 409 })
  }
  _unprocessable() {
    this.response.status = 422
    return 'a page'
  }
  async _later() {
    await null
    return `later by ${this.request.method}, sent by ${this.request.originalMethod}`
  }
  _json() {
    return this.c.formErrors as object
  }
  async _failing(): Promise<string> {
    throw new Error('the form is broken')
  }
  with_response() {}
  with_status() {}
  with_own_status() {}
  with_json() {}
  with_later() {}
  with_nothing() {}
  with_failing() {}
  slow() {
    return JSON.stringify(this.formResult)
  }
  long() {
    return 'never'
  }
  unread() {
    return String(formResult(this, userForm))
  }
  __after__() {
    this.response.headers.set('X-Method', this.request.method)
  }

  static {
    decorate(this, {
      create: [validate(userForm)],
      checked: [validate(userForm)],
      update: [validate(userForm, { form: 'new' })],
      tags: [validate(tagForm, { lists: ['tags'] })],
      same: [validate(sameForm, { form: 'new' })],
      upload: [validate(fileForm)],
      search: [validate(v.object({ q: v.pipe(v.string(), v.minLength(1)) }), { form: 'search', onGet: true })],
      both: [validate(userForm, { from: 'params' })],
      page: [restrict('GET', 'POST'), dispatchOn({ POST: '_save' }), cached({ expires: 60 })],
      _save: [validate(userForm, { form: 'page' })],
      with_response: [validate(userForm, { form: '_response' })],
      with_status: [validate(userForm, { form: '_unprocessable' })],
      with_own_status: [validate(userForm, { form: '_refused' })],
      with_json: [validate(userForm, { form: '_json' })],
      with_later: [validate(userForm, { form: '_later' })],
      // @ts-expect-error the class has no such method
      with_nothing: [validate(userForm, { form: 'nowhere' })],
      with_failing: [validate(userForm, { form: '_failing' })],
      _json: [jsonify],
      slow: [validate(slow)],
      long: [validate(quotingForm)],
    })
  }
}

const { send } = appWith(FormController)

describe('validate, with the character NUL', () => {
  for (const [path, form] of [
    ['/tags', 'tags=a%00&note=n'],
    ['/tags', 'tags=a&tags=%00&note=n'],
    ['/both?name=a%00', 'age=7'],
  ] as const) {
    it(`refuses ${form} for ${path}`, async () => {
      const { status, text } = await send(path, { form })
      assert.equal(status, '400 Bad Request')
      assert.match(text, /^\w+: must not contain the character NUL$/m)
    })
  }

  it('passes files that contain it', async () => {
    const part = 'Content-Disposition: form-data; name="file"; filename="a.bin"'
    const body = `--b\r\n${part}\r\n\r\n\0\0\r\n--b--\r\n`
    const { status } = await send('/upload', { type: 'multipart/form-data; boundary=b', form: body })
    assert.equal(status, '200 OK')
  })
})

describe('validate, with a form that is too large', () => {
  it('shows the form again with an error of the empty name', async () => {
    const { status, text } = await send('/update/joe', {
      form: `name=${'a'.repeat(5 * 2 ** 20)}`,
      headers: [['Accept', 'text/html']],
    })
    assert.equal(status, '413 Content Too Large')
    assert.match(text, /"formErrors":\{"":\["The body of the request is too large\."\]\}/)
  })
})

describe('validate, with a valid form', () => {
  const rows: [label: string, path: string, form: string, text: string][] = [
    ['passes the values of the schema to the action', '/create', 'name=+joe+&age=7', '{"name":"joe","age":7}'],
    ['uses the first value of a field', '/create', 'name=joe&name=eve', '{"name":"joe"}'],
    ['passes arrays for the fields in lists', '/tags', 'tags=a&tags=b&note=n&note=m', '{"tags":["a","b"],"note":"n"}'],
    ['passes an array of one value', '/tags', 'tags=a&note=n', '{"tags":["a"],"note":"n"}'],
    ['passes an empty array for a missing field', '/tags', 'note=n', '{"tags":[],"note":"n"}'],
    ['runs the action with its arguments', '/update/joe', 'name=joe', 'updated joe'],
    ['does not read the query', '/create?age=9', 'name=joe', '{"name":"joe"}'],
    ['reads form and query with the option from', '/both?age=9&name=eve', 'name=joe', '{"name":"joe","age":9}'],
    [
      'omits the fields of the framework',
      '/slow',
      'a=1&_method=POST&_authentication_token=x&__proto__=y',
      '["a","__proto__"]',
    ],
  ]
  for (const [label, path, form, text] of rows) {
    it(label, async () => {
      const received = await send(path, { form })
      assert.deepEqual([received.status, received.text], ['200 OK', text])
    })
  }

  it('validates a request with an overridden method', async () => {
    assert.equal((await send('/update/joe', { method: 'PUT', form: 'name=joe' })).text, 'updated joe')
  })

  it('passes files to the schema', async () => {
    const part = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain'
    const { text } = await send('/upload', {
      type: 'multipart/form-data; boundary=b',
      form: `--b\r\n${part}\r\n\r\nhello\r\n--b--\r\n`,
    })
    assert.equal(text, 'a.txt: hello')
  })

  it('calls the schema once', async () => {
    const before = calls
    await send('/slow', { form: 'a=1' })
    assert.equal(calls, before + 1)
  })
})

describe('validate, on GET', () => {
  it('runs the action without validation', async () => {
    assert.equal((await send('/checked')).text, 'null')
  })

  it('validates the query with the option onGet', async () => {
    assert.equal((await send('/search?q=x')).text, '{"q":"x"}')
  })

  it('runs the action itself as the form', async () => {
    const received = await send('/search?q=')
    assert.equal(received.status, '400 Bad Request')
    assert.match(received.text, /"errors":\{"q":\["/)
  })
})

describe('validate, with an invalid form', () => {
  const refused: [label: string, path: string, form: string, detail: string][] = [
    ['names the field', '/create', 'name=x', 'name: is too short'],
    ['contains all messages', '/create', 'name=%21', 'name: is too short, has odd signs'],
    ['tells of all fields', '/create', 'name=x&age=x', 'name: is too short; age: must be a number'],
    ['quotes nothing in the status', '/create', 'name=joe&age=x%0D%0AX-Evil: 1', 'age: must be a number'],
    ['counts an item of a list to its field', '/tags', 'tags=a&tags=b&tags=c&note=n', 'tags: are too many'],
    ['requires a file', '/upload', 'file=text', 'file: must be a file'],
  ]
  for (const [label, path, form, detail] of refused) {
    it(`${label}, without a form to show`, async () => {
      const received = await send(path, { form })
      assert.equal(received.status, '400 Bad Request')
      assert.equal(received.text.split('\n').at(-2), detail)
    })
  }

  it('never quotes passwords', async () => {
    const received = await send('/long', { form: 'name=joe%40shop.test&password=hunter2' })
    assert.match(received.text, /^password: Invalid email: Received "\.\.\."$/m)
    assert.doesNotMatch(received.text, /hunter2/)
  })

  it('sends the errors by field in the problem document', async () => {
    const received = await send('/create', { form: 'name=x', headers: [['Accept', 'application/json']] })
    assert.deepEqual(JSON.parse(received.text).errors, [{ name: 'name', detail: 'is too short' }])
  })

  const shown: [label: string, path: string, form: string, content: object][] = [
    [
      'shows the form with errors and what was typed',
      '/update/joe',
      'name=x&age=7',
      {
        id: 'joe',
        method: 'GET',
        formErrors: { name: ['is too short'] },
        formValues: { name: 'x', age: '7' },
      },
    ],
    [
      'never shows passwords again',
      '/update/joe',
      'name=x&new_password=p1&password=p2&Passwd=p3&pwd=p4&userPassword=p5&passphrase=p6&password_confirmation=p7',
      { id: 'joe', method: 'GET', formErrors: { name: ['is too short'] }, formValues: { name: 'x' } },
    ],
    [
      'puts what is wrong with the whole form under the empty name',
      '/same',
      'one=1&two=2',
      {
        id: 'new',
        method: 'GET',
        formErrors: { '': ['The two differ'] },
        formValues: { one: '1', two: '2' },
      },
    ],
  ]
  for (const [label, path, form, content] of shown) {
    it(label, async () => {
      const received = await send(path, { form })
      assert.equal(received.status, '400 Bad Request')
      assert.deepEqual(JSON.parse(received.text), content)
    })
  }

  it('shows a page that posts to itself', async () => {
    const received = await send('/page', { form: 'name=x' })
    assert.deepEqual([received.status, received.text], ['400 Bad Request', 'page by GET with errors'])
  })

  it('neither stores the page with errors nor sends the cached one', async () => {
    assert.equal((await send('/page')).text, 'page by GET blank')
    assert.equal((await send('/page', { form: 'name=x' })).text, 'page by GET with errors')
    assert.equal((await send('/page')).text, 'page by GET blank')
  })

  it('restores the request method for __after__', async () => {
    assert.equal((await send('/update/joe', { form: 'name=x' })).header('x-method'), 'POST')
    assert.equal((await send('/with_later', { form: 'name=x' })).header('x-method'), 'POST')
  })

  const answers: [label: string, path: string, status: string, text: string][] = [
    ['changes a Response to 400', '/with_response', '400 Bad Request', 'a page'],
    ['keeps the status that the form sets', '/with_status', '422 Unprocessable Content', 'a page'],
    ['keeps the status of a Response', '/with_own_status', '409 Conflict', 'a conflict'],
    ['runs the decorators of the form', '/with_json', '400 Bad Request', '{"name":["is too short"]}'],
    ['waits for an asynchronous form', '/with_later', '400 Bad Request', 'later by GET, sent by POST'],
  ]
  for (const [label, path, status, text] of answers) {
    it(`${label}`, async () => {
      const received = await send(path, { form: 'name=x' })
      assert.deepEqual([received.status, received.text], [status, text])
    })
  }

  it("keeps the headers and the type of the form's own Response", async () => {
    const received = await send('/with_response', { form: '' })
    assert.deepEqual([received.header('x-own'), received.header('content-type')], ['yes', 'text/plain; charset=utf-8'])
  })

  it('throws an error of the form', async () => {
    await assert.rejects(send('/with_failing', { form: '' }), /the form is broken/)
  })

  it('names the missing method', async () => {
    await assert.rejects(send('/with_nothing', { form: '' }), /validate: FormController has no method "nowhere"/)
  })
})

describe('formResult', () => {
  it('throws if nothing was validated', async () => {
    await assert.rejects(send('/unread'), /was not validated with this schema/)
    await assert.rejects(send('/create'), /with \{ onGet: true \} for a GET/)
  })

  it('returns the values of each schema', async () => {
    const one = v.object({ a: v.string() })
    const two = v.object({ b: v.string() })
    class Two extends WSGIController {
      index() {
        return formResult(this, one).a + formResult(this, two).b
      }
      static {
        decorate(this, { index: [validate(one), validate(two)] })
      }
    }
    assert.equal((await appWith(Two).send('', { form: 'a=1&b=2' })).text, '12')
  })
})

describe('validate, with a schema that returns what it was given', () => {
  const same: StandardSchemaV1 = {
    '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
  }
  class KeptController extends WSGIController {
    index() {
      return inspect(this.formResult)
    }
    static {
      decorate(this, { index: [validate(same)] })
    }
  }
  const kept = appWith(KeptController)

  it('has the same kind of object for a form as for JSON', async () => {
    const json = await kept.send('', { type: 'application/json', form: '{"a":"1"}' })
    assert.deepEqual(
      [(await kept.send('', { form: 'a=1' })).text, json.text],
      Array(2).fill("[Object: null prototype] { a: '1' }"),
    )
  })
})

describe('validate, with an invalid schema', () => {
  for (const schema of [{}, null, { '~standard': {} }, () => true]) {
    it(`refuses ${JSON.stringify(schema) ?? 'a function'}`, () => {
      assert.throws(() => validate(schema as unknown as StandardSchemaV1), /Standard Schema/)
    })
  }
})
