import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, type RenderOptions, TemplateError, templateEngine, WSGIController } from 'propylon'
import { createEnviron, run } from 'propylon/wsgi'

const engine = templateEngine({
  layout: '<html><nav><% block("nav", () => { %>default<% }) %></nav><%~ it.body %></html>',
  outer: '<outer><% block("title") %>|<%~ it.body %></outer>',
  inner: "<% layout('outer') %><inner><%~ it.body %></inner>",
  including: "<%~ include('part') %><%~ it.body %>",
  part: '<nav><%~ block("nav") %></nav>',
  table: "<table><% block('rows', () => { %><tr><%= it.cell %></tr><% }) %></table>",
  raw: "<table><%~ block('rows', () => { %><tr><%= it.cell %></tr><% }) %></table>",
  page: "<% layout('layout') %><p><% block('rows', () => { %>mine<% }) %></p>",
  nav: "<% layout('layout') %><% block('nav', () => { %>mine<% }) %>text",
  deep: "<% layout('inner') %><% block('title', () => { %>Deep<% }) %>text",
  partial: "<% layout('including') %><% block('nav', () => { %>mine<% }) %>text",
  nested: "a<% block('outside', () => { %>b<% block('inside', () => { %>c<% }) %>d<% }) %>e",
  later: "<% block('first', () => { %>1<% }) %><%= it.missing.member %>",
  includes: "<h1><%~ include('table') %></h1>",
  waiting: "<% layout('layout') %><p><% await blockAsync('rows', async () => { %><%= await it.cell %><% }) %></p>",
  hidden: "<% if (it.shown) { %><% block('rows', () => { %>x<% }) %><% } %>",
  none: 'text',
})

const render = async (name: string, values: Record<string, unknown> = {}, options?: RenderOptions) =>
  engine.render(name, values, options)

describe('a block', () => {
  const whole: [template: string, text: string][] = [
    ['table', '<table><tr>&lt;</tr></table>'],
    ['raw', '<table><tr>&lt;</tr></table>'],
    ['page', '<html><nav>default</nav><p>mine</p></html>'],
    ['nav', '<html><nav>mine</nav>text</html>'],
    ['deep', '<outer>Deep|<inner>text</inner></outer>'],
    ['partial', '<nav>mine</nav>text'],
    ['nested', 'abcde'],
    ['waiting', '<html><nav>default</nav><p>&lt;</p></html>'],
  ]
  for (const [template, text] of whole) {
    it(`of ${template} is shown in its place in the whole page`, async () => {
      assert.equal(await render(template, { cell: '<' }), text)
    })
  }

  const alone: [template: string, block: string, text: string][] = [
    ['table', 'rows', '<tr>&lt;</tr>'],
    ['raw', 'rows', '<tr>&lt;</tr>'],
    ['page', 'rows', 'mine'],
    ['nav', 'nav', 'mine'],
    ['nested', 'inside', 'c'],
    ['nested', 'outside', 'bcd'],
    ['later', 'first', '1'],
    ['includes', 'rows', '<tr>&lt;</tr>'],
    ['waiting', 'rows', '&lt;'],
  ]
  for (const [template, block, text] of alone) {
    it(`${block} of ${template} is rendered alone`, async () => {
      assert.equal(await render(template, { cell: '<' }, { block }), text)
    })
  }

  const missing: [template: string, block: string, message: RegExp][] = [
    ['table', 'row', /no block "row" in table; did you mean "rows"\?/],
    ['nested', 'elsewhere', /no block "elsewhere" in nested; it has "outside", "inside"/],
    ['none', 'rows', /no block "rows" in none; it has none/],
    ['page', 'nav', /no block "nav" in page/],
    ['hidden', 'rows', /the block "rows" was not reached/],
  ]
  for (const [template, block, message] of missing) {
    it(`${block} of ${template} that is missing is an error`, async () => {
      await assert.rejects(render(template, {}, { block }), (error) => {
        assert.ok(error instanceof TemplateError)
        assert.match(error.message, message)
        return true
      })
    })
  }

  it('that fails is an error with its place', async () => {
    await assert.rejects(
      render(
        'table',
        {
          get cell() {
            throw new Error('broken')
          },
        },
        { block: 'rows' },
      ),
      /broken/,
    )
  })

  it('is rendered by an action', async () => {
    class TableController extends WSGIController {
      index() {
        return this.render('table', { cell: 1 }, { block: 'rows' })
      }
    }
    const map = new Mapper().connect('/', { controller: 'table', action: 'index' })
    const app = new FrameworkApp({ map, controllers: { table: TableController }, templates: engine })
    assert.equal(await (await run(app, createEnviron())).text(), '<tr>1</tr>')
  })
})
