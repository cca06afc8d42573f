/** Forms that a page of another controller shows. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, redirect, WSGIController } from 'propylon'
import { body, int } from 'propylon/converters'
import { cached, decorate, invalid, validate } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const Comment = v.object({ text: v.pipe(v.string(), v.minLength(2, 'is too short')) })
type Comment = v.InferOutput<typeof Comment>

/** The calls of hooks and pages of both classes. */
const calls: string[] = []

class PagesController extends WSGIController {
  static args = { show: { id: int }, _part: { id: int }, bare: ['valueOf'] }
  static pages = { show: 'pages/show' }

  __before__(action: string) {
    calls.push(`pages before ${action}`)
    this.c.visits = this.session.get('visits') ?? 0
    if (this.request.query.has('secret')) redirect('/login', 303)
  }
  __after__() {
    calls.push('pages after')
    this.response.headers.set('X-Page', 'shown')
  }
  show(id: number) {
    calls.push(`show ${this.request.method} ${id}`)
    this.session.set('visits', Number(this.c.visits) + 1)
    return { id }
  }
  _part(id: number) {
    this.response.setCookie('part', 'seen')
    return `part ${id} ${this.c.formErrors?.text}`
  }
  failing() {
    throw new Error('The page fails.')
  }
  async old() {
    return new Response(`old ${this.c.formErrors?.text}`)
  }
  started(start_response: (status: string, headers: [string, string][]) => void) {
    start_response('400 Bad Request', [['Content-Type', 'text/plain']])
    return [`started ${this.c.formErrors?.text}`]
  }
  bare(given = 'default') {
    return `bare ${given}`
  }
  stored() {
    return `stored ${this.c.formErrors?.text}`
  }

  static {
    decorate(this, { stored: [cached({ expires: 60 })] })
  }
}

/** Shows its pages for GET and POST. */
class SeparateController extends WSGIController {
  show() {
    return `separate ${JSON.stringify(this.c.formValues)}`
  }
}

class CommentsController extends WSGIController {
  static args = {
    create: { id: int, comment: body(Comment, { form: 'pages.show', name: 'comment' }) },
    part: { id: int, comment: body(Comment, { form: 'pages._part' }) },
    failing: { comment: body(Comment, { form: 'pages.failing' }) },
    old: { comment: body(Comment, { form: 'pages.old' }) },
    started: { comment: body(Comment, { form: 'pages.started' }) },
    bare: { comment: body(Comment, { form: 'pages.bare' }) },
    stored: { comment: body(Comment, { form: 'pages.stored' }) },
    deep: { comment: body(Comment, { form: 'admin/pages.show' }) },
    lost: { comment: body(Comment, { form: 'page.show' }) },
    absent: { comment: body(Comment, { form: 'pages.shwo' }) },
    other: { comment: body(Comment, { form: 'plain.show' }) },
  }

  __before__(action: string) {
    calls.push(`comments before ${action}`)
    this.c.own = 'own'
  }
  __after__() {
    calls.push('comments after')
    this.response.headers.set('X-Comments', 'refused')
  }
  create(id: number, comment: Comment) {
    if (comment.text === 'taken') invalid({ text: 'is taken' }, { status: 409, headers: { 'X-Taken': 'yes' } })
    return `${id} ${comment.text}`
  }
  part(id: number, comment: Comment) {
    return `${id} ${comment.text}`
  }
  failing(comment: Comment) {
    return comment
  }
  old(comment: Comment) {
    return comment
  }
  started(comment: Comment) {
    return comment
  }
  bare(comment: Comment) {
    return comment
  }
  stored(comment: Comment) {
    return comment
  }
  deep(comment: Comment) {
    return comment
  }
  lost(comment: Comment) {
    return comment
  }
  absent(comment: Comment) {
    return comment
  }
  other(comment: Comment) {
    return comment
  }
  review() {
    return 'reviewed'
  }

  static {
    decorate(this, { review: [validate(Comment, { form: 'admin/pages.show' })] })
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/pages/{id}', { controller: 'pages', action: 'show', conditions: { method: 'GET' } })
    .connect('/stored', { controller: 'pages', action: 'stored', conditions: { method: 'GET' } })
    .connect('/pages/{id}/{action}', { controller: 'comments', conditions: { method: 'POST' } }),
  controllers: {
    pages: PagesController,
    comments: CommentsController,
    'admin/pages': () => Promise.resolve({ PagesController: SeparateController }),
    plain: (_environ: unknown, _start: unknown) => [],
  },
  session: { secret: 'a secret of more than 32 characters' },
  templates: {
    'pages/show':
      '<%= it.id %> <%= it.c.own ?? "none" %> <%= it.c.visits %> <%= it.c.formName %> <%= it.c.formErrors?.text %> <%= it.c.formValues?.text %>',
  },
  logger: { info() {}, warn() {}, error() {} },
})
const client = new TestApp(app)
const PAGE = { headers: { accept: 'text/html' } }

describe('a form of another controller', () => {
  it('shows the page with the errors, the match, the session and the context of the request', async () => {
    assert.equal((await client.get('/pages/7')).status, 200)
    calls.length = 0
    const shown = await client.post('/pages/7/create', { text: 'a' }, PAGE)
    assert.equal(shown.status, 400)
    assert.equal(shown.text, '7 own 1 comment is too short a')
    assert.deepEqual(calls, [
      'comments before create',
      'pages before show',
      'show GET 7',
      'pages after',
      'comments after',
    ])
    assert.deepEqual(
      ['x-page', 'x-comments'].map((name) => shown.headers.get(name)),
      ['shown', 'refused'],
    )
    const next = await client.post('/pages/7/create', { text: 'a' }, PAGE)
    assert.equal(next.text, '7 own 2 comment is too short a')
  })

  it('has the status and the header fields of invalid()', async () => {
    const shown = await client.post('/pages/7/create', { text: 'taken' }, PAGE)
    assert.deepEqual([shown.status, shown.headers.get('x-taken')], [409, 'yes'])
    assert.match(shown.text, /comment is taken taken$/)
  })

  it('accepts what is valid, and sends programs the errors', async () => {
    assert.equal((await client.post('/pages/7/create', { text: 'abc' }, PAGE)).text, '7 abc')
    const problem = await client.postJson('/pages/7/create', { text: 'a' })
    assert.deepEqual(problem.json<{ errors: object[] }>().errors, [
      { name: 'text', detail: 'is too short', form: 'comment' },
    ])
  })

  for (const [action, text] of [
    ['part', 'part 7 is too short'],
    ['old', 'old is too short'],
    ['started', 'started is too short'],
    ['bare', 'bare default'],
    ['stored', 'stored is too short'],
    ['deep', 'separate {"text":"a"}'],
    ['review', 'separate {"text":"a"}'],
  ] as const) {
    it(`shows the page of ${action}`, async () => {
      await client.get('/stored')
      const shown = await client.post(`/pages/7/${action}`, { text: 'a' }, PAGE)
      assert.deepEqual([shown.status, shown.text], [400, text])
    })
  }

  it('keeps cookies of the page, and answers as its hook does', async () => {
    const part = await client.post('/pages/7/part', { text: 'a' }, PAGE)
    assert.match(part.headers.get('set-cookie') ?? '', /part=seen/)
    const away = await client.post('/pages/7/create?secret', { text: 'a' }, PAGE)
    assert.deepEqual([away.status, away.headers.get('location')], [303, '/login'])
  })

  for (const [action, message] of [
    ['lost', 'body: there is no controller "page". Did you mean "pages"?'],
    ['absent', 'body: PagesController has no method "shwo". Define it, or correct the name.'],
    ['other', 'body: the controller "plain" is not a subclass of WSGIController.'],
    ['failing', 'The page fails.'],
  ] as const) {
    it(`fails for ${action}`, async () => {
      await assert.rejects(client.post(`/pages/7/${action}`, { text: 'a' }, PAGE), { message })
    })
  }
})
