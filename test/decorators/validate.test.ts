import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import * as v from 'valibot'
import { WSGIController } from '../../src/controllers/wsgi-controller.ts'
import {
  cached,
  decorate,
  dispatchOn,
  formResult,
  jsonify,
  restrict,
  validate,
} from '../../src/decorators/index.ts'
import { FormFile } from '../../src/http/form-file.ts'
import { Response } from '../../src/http/response.ts'
import { appWith } from './asking.ts'

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

/** Messages of this one quote what was typed. */
const quotingForm = v.object({
  name: v.pipe(v.string(), v.email()),
  password: v.optional(v.pipe(v.string(), v.email())),
})

/** A schema that asks somebody else, and counts how often. */
let asked = 0
const slow: StandardSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'test',
    async validate(value) {
      asked += 1
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
      search: [
        validate(v.object({ q: v.pipe(v.string(), v.minLength(1)) }), { form: 'search', onGet: true }),
      ],
      both: [validate(userForm, { from: 'params' })],
      page: [restrict('GET', 'POST'), dispatchOn({ POST: '_save' }), cached({ expires: 60 })],
      _save: [validate(userForm, { form: 'page' })],
      with_response: [validate(userForm, { form: '_response' })],
      with_status: [validate(userForm, { form: '_unprocessable' })],
      with_json: [validate(userForm, { form: '_json' })],
      with_later: [validate(userForm, { form: '_later' })],
      with_nothing: [validate(userForm, { form: 'nowhere' })],
      with_failing: [validate(userForm, { form: '_failing' })],
      _json: [jsonify],
      slow: [validate(slow)],
      long: [validate(quotingForm)],
    })
  }
}

const { ask } = appWith(FormController)

describe('validate, when the form is well', () => {
  const rows: [label: string, path: string, form: string, text: string][] = [
    ['gives the action what the schema made', '/create', 'name=+joe+&age=7', '{"name":"joe","age":7}'],
    ['takes the first of a field that was sent twice', '/create', 'name=joe&name=eve', '{"name":"joe"}'],
    [
      'makes arrays of the fields in lists',
      '/tags',
      'tags=a&tags=b&note=n&note=m',
      '{"tags":["a","b"],"note":"n"}',
    ],
    ['makes an array of one', '/tags', 'tags=a&note=n', '{"tags":["a"],"note":"n"}'],
    ['makes an empty array of none', '/tags', 'note=n', '{"tags":[],"note":"n"}'],
    ['runs the action with its arguments', '/update/joe', 'name=joe', 'updated joe'],
    ['does not read the query', '/create?age=9', 'name=joe', '{"name":"joe"}'],
    ['reads the query too when told', '/both?age=9&name=eve', 'name=joe', '{"name":"joe","age":9}'],
    [
      'leaves its own fields out',
      '/slow',
      'a=1&_method=POST&_authentication_token=x&__proto__=y',
      '["a","__proto__"]',
    ],
  ]
  for (const [label, path, form, text] of rows) {
    it(label, async () => {
      const asked = await ask(path, { form })
      assert.deepEqual([asked.status, asked.text], ['200 OK', text])
    })
  }

  it('validates what a method override asks for', async () => {
    assert.equal((await ask('/update/joe', { method: 'PUT', form: 'name=joe' })).text, 'updated joe')
  })

  it('gives files to the schema', async () => {
    const part = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain'
    const { text } = await ask('/upload', {
      type: 'multipart/form-data; boundary=b',
      form: `--b\r\n${part}\r\n\r\nhello\r\n--b--\r\n`,
    })
    assert.equal(text, 'a.txt: hello')
  })

  it('asks the schema once', async () => {
    const before = asked
    await ask('/slow', { form: 'a=1' })
    assert.equal(asked, before + 1)
  })
})

describe('validate, on GET', () => {
  it('lets the action run unchecked', async () => {
    assert.equal((await ask('/checked')).text, 'null')
  })

  it('checks the query when told', async () => {
    assert.equal((await ask('/search?q=x')).text, '{"q":"x"}')
  })

  it('shows the very action as the form', async () => {
    const asked = await ask('/search?q=')
    assert.equal(asked.status, '400 Bad Request')
    assert.match(asked.text, /"errors":\{"q":\["/)
  })
})

describe('validate, when the form is not well', () => {
  const refused: [label: string, path: string, form: string, status: string][] = [
    ['names the field', '/create', 'name=x', '400 Bad Request -- name: is too short'],
    ['tells of all messages', '/create', 'name=%21', '400 Bad Request -- name: is too short, has odd signs'],
    [
      'tells of all fields',
      '/create',
      'name=x&age=x',
      '400 Bad Request -- name: is too short; age: must be a number',
    ],
    [
      'puts no line breaks into the status',
      '/create',
      'name=joe&age=x%0D%0AX-Evil: 1',
      '400 Bad Request -- age: must be a number',
    ],
    [
      'counts an item of a list to its field',
      '/tags',
      'tags=a&tags=b&tags=c&note=n',
      '400 Bad Request -- tags: are too many',
    ],
    ['wants a file', '/upload', 'file=text', '400 Bad Request -- file: must be a file'],
  ]
  for (const [label, path, form, status] of refused) {
    it(`${label}, without a form to show`, async () => {
      const asked = await ask(path, { form })
      assert.equal(asked.status, status)
      assert.match(asked.text, /400 Bad Request -- /)
    })
  }

  it('keeps the status line short, however much a message quotes', async () => {
    const { status } = await ask('/long', { form: `name=${'x'.repeat(5000)}` })
    assert.match(status, /^400 Bad Request -- name: Invalid email: Received "x+\.\.\.$/)
    assert.ok(status.length < 500)
  })

  it('never quotes passwords', async () => {
    const asked = await ask('/long', { form: 'name=joe%40shop.test&password=hunter2' })
    assert.match(asked.status, /^400 Bad Request -- password: Invalid email: Received "\.\.\."$/)
    assert.doesNotMatch(asked.text, /hunter2/)
  })

  it('tells scripts the errors by field', async () => {
    const asked = await ask('/create', { form: 'name=x', headers: [['Accept', 'application/json']] })
    assert.deepEqual(JSON.parse(asked.text).errors, { name: ['is too short'] })
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
      const asked = await ask(path, { form })
      assert.equal(asked.status, '400 Bad Request')
      assert.deepEqual(JSON.parse(asked.text), content)
    })
  }

  it('shows the page that posts to itself', async () => {
    const asked = await ask('/page', { form: 'name=x' })
    assert.deepEqual([asked.status, asked.text], ['400 Bad Request', 'page by GET with errors'])
  })

  it('neither caches the page with errors nor shows the cached one', async () => {
    assert.equal((await ask('/page')).text, 'page by GET blank')
    assert.equal((await ask('/page', { form: 'name=x' })).text, 'page by GET with errors')
    assert.equal((await ask('/page')).text, 'page by GET blank')
  })

  it('is over for __after__, which sees the method that was sent', async () => {
    assert.equal((await ask('/update/joe', { form: 'name=x' })).header('x-method'), 'POST')
    assert.equal((await ask('/with_later', { form: 'name=x' })).header('x-method'), 'POST')
  })

  const answers: [label: string, path: string, status: string, text: string][] = [
    ['a Response becomes 400', '/with_response', '400 Bad Request', 'a page'],
    ['a status that the form sets stays', '/with_status', '422 Unprocessable Content', 'a page'],
    ['a decorated form is decorated', '/with_json', '400 Bad Request', '{"name":["is too short"]}'],
    ['a form may wait', '/with_later', '400 Bad Request', 'later by GET, sent by POST'],
  ]
  for (const [label, path, status, text] of answers) {
    it(`${label}`, async () => {
      const asked = await ask(path, { form: 'name=x' })
      assert.deepEqual([asked.status, asked.text], [status, text])
    })
  }

  it("keeps the headers and the type of the form's own Response", async () => {
    const asked = await ask('/with_response', { form: '' })
    assert.deepEqual([asked.header('x-own'), asked.header('content-type')], ['yes', 'text/plain'])
  })

  it('lets an error of the form go on', async () => {
    await assert.rejects(ask('/with_failing', { form: '' }), /the form is broken/)
  })

  it('says which method is missing', async () => {
    await assert.rejects(
      ask('/with_nothing', { form: '' }),
      /validate: FormController has no method "nowhere"/,
    )
  })
})

describe('formResult', () => {
  it('refuses where nothing was validated', async () => {
    await assert.rejects(ask('/unread'), /was not validated by this schema/)
    await assert.rejects(ask('/create'), /a GET is validated only with \{ onGet: true \}/)
  })

  it('keeps the results of several schemas apart', async () => {
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
    assert.equal((await appWith(Two).ask('', { form: 'a=1&b=2' })).text, '12')
  })
})

describe('validate, of what is no schema', () => {
  for (const schema of [{}, null, { '~standard': {} }, () => true]) {
    it(`refuses ${JSON.stringify(schema) ?? 'a function'}`, () => {
      assert.throws(() => validate(schema as unknown as StandardSchemaV1), /Standard Schema/)
    })
  }
})
