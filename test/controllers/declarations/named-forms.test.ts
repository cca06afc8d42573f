import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { decorate, invalid, validate } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const Comment = v.object({ text: v.pipe(v.string(), v.minLength(2, 'is too short')) })

/** A page with three forms that have a field of the same name. */
class PageController extends WSGIController {
  static args = {
    comment: { fields: body(Comment, { form: 'show', name: 'comment' }) },
    plain: { fields: body(Comment, { form: 'show' }) },
  }

  show() {
    const { formName, formErrors, formValues } = this.c
    return JSON.stringify([formName ?? null, formErrors?.text ?? null, formValues?.text ?? null])
  }
  comment(fields: v.InferOutput<typeof Comment>) {
    return invalid<typeof Comment>({ text: `${fields.text} is taken` }, { status: 409 })
  }
  review() {
    return 'stored'
  }
  plain(fields: v.InferOutput<typeof Comment>) {
    return fields.text
  }

  static {
    decorate(this, { review: [validate(Comment, { form: 'show', name: 'review' })] })
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/{action}', { controller: 'page' }),
  controllers: { page: PageController },
})
const client = new TestApp(app)
const PAGE = { headers: { accept: 'text/html' } }

describe('forms of one page', () => {
  for (const [action, text, expected] of [
    ['comment', 'a', ['comment', ['is too short'], 'a']],
    ['comment', 'abc', ['comment', ['abc is taken'], 'abc']],
    ['review', 'a', ['review', ['is too short'], 'a']],
    ['plain', 'a', [null, ['is too short'], 'a']],
  ] as const) {
    it(`show the errors of ${action} for "${text}" with its name`, async () => {
      assert.deepEqual((await client.post(`/${action}`, { text }, PAGE)).json(), expected)
    })
  }

  for (const [action, text, error] of [
    ['comment', 'a', { form: 'comment', name: 'text', detail: 'is too short' }],
    ['comment', 'abc', { form: 'comment', name: 'text', detail: 'abc is taken' }],
    ['review', 'a', { form: 'review', name: 'text', detail: 'is too short' }],
    ['plain', 'a', { name: 'text', detail: 'is too short' }],
  ] as const) {
    it(`send programs the errors of ${action} for "${text}" with its name`, async () => {
      const { errors } = (await client.postJson(`/${action}`, { text })).json<{ errors: object[] }>()
      assert.deepEqual(
        errors.map((each) => Object.fromEntries(Object.entries(each).sort())),
        [Object.fromEntries(Object.entries(error).sort())],
      )
    })
  }
})
