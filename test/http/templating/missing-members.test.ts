/** In debug mode a member of `it` that a template reads and that does not exist is a warning. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, templateEngine } from 'propylon'

type Texts = Readonly<Record<string, string>>

function appOf(templates: Texts, debug: boolean) {
  const warnings: string[] = []
  const logger = { info() {}, error() {}, warn: (message: string) => void warnings.push(message) }
  const app = new FrameworkApp({ map: new Mapper(), controllers: {}, templates, debug, logger })
  return { warnings, render: app.templates.render.bind(app.templates) }
}

const MISSING: readonly (readonly [title: string, templates: Texts, warnings: readonly RegExp[]])[] = [
  ['in a tag', { page: '\n<%= it.titel %>' }, [/^page:2: it\.titel does not exist\. Did you mean it\.title\?$/]],
  ['of no near name', { page: '<%= it.author %>' }, [/'author' in it.*: title, rows, result\.$/]],
  ['twice', { page: '<%= it.titel %><%= it.titel %>' }, [/^page:1: it\.titel/]],
  ['of two names', { page: '<%= it.titel %><%= it.row %>' }, [/it\.titel/, /it\.row .*it\.rows\?/]],
  ['in a loop', { page: '<% for (const row of it.rows) { %><%= it.titel %><% } %>' }, [/it\.titel/]],
  ['in a condition', { page: '<% if (it?.titel) { %>x<% } %>' }, [/^page:1: it\.titel/]],
  ['destructured', { page: '<% const { titel } = it %>' }, [/^page: it\.titel/]],
  ['with a default', { page: "<%= it.titel ?? 'x' %>" }, [/it\.titel/]],
  ['by its name as text', { page: "<%= it['titel'] %>" }, [/it\.titel/]],
  [
    'in a part',
    {
      page: "<% for (const row of it.rows) { %><%~ include('part', { row }) %><% } %>",
      part: '<%= it.rwo %>',
    },
    [/^part:1: it\.rwo does not exist\. Did you mean it\.row\?$/],
  ],
  [
    'in a page and in its part',
    { page: "<%= it.titel %><%~ include('part') %>", part: '<%= it.titel %>' },
    [/^page:1: it\.titel/, /^part:1: it\.titel/],
  ],
  ['in a layout', { page: "<% layout('frame') %>x", frame: '<%= it.titel %><%~ it.body %>' }, [/^frame:1: it\.titel/]],
  [
    'in a block',
    {
      page: "<% layout('frame') %><% block('a', () => { %><%= it.titel %><% }) %>",
      frame: "<% block('a') %>",
    },
    [/^page:1: it\.titel/],
  ],
  ['in a template that awaits', { page: '<%= await it.titel %>' }, [/it\.titel/]],
]

const EXISTING: readonly (readonly [title: string, text: string])[] = [
  ['a member', '<%= it.title %>'],
  ['a member whose value is undefined', '<%= it.result %>'],
  ['a member of a member', '<%= it.rows.titel %>'],
  ['a question', "<% if ('titel' in it) { %><%= it.titel %><% } %>"],
  ['a member that the template sets', "<% it.titel = 'x' %><%= it.titel %>"],
  ['members of Object.prototype', "<%= it.hasOwnProperty('titel') %><%= String(it) %>"],
  ['all members', '<% for (const name in it) { %><%= it[name] %><% } %><%= JSON.stringify({ ...it }) %>'],
  ['its JSON', '<%= JSON.stringify(it) %>'],
  ['a copy', '<% structuredClone(it) %>'],
  ['the object itself', '<% await it %>'],
  ['an iterator', '<% it[Symbol.iterator] %>'],
]

const VALUES = { title: 'Emma', rows: [1, 2], result: undefined }

describe('a member of it that does not exist', () => {
  for (const [title, templates, expected] of MISSING) {
    it(`is a warning ${title}`, async () => {
      const { warnings, render } = appOf(templates, true)
      await render('page', VALUES)
      await render('page', VALUES)
      assert.equal(warnings.length, expected.length, warnings.join('\n'))
      for (const [index, pattern] of expected.entries()) assert.match(warnings[index] ?? '', pattern)
    })
  }

  for (const [title, text] of EXISTING) {
    it(`is not ${title}`, async () => {
      const { warnings, render } = appOf({ page: text }, true)
      await render('page', VALUES)
      assert.deepEqual(warnings, [])
    })
  }

  it('is undefined', () => {
    assert.equal(appOf({ page: '<%= typeof it.titel %>' }, true).render('page', {}), 'undefined')
  })

  it('is no warning in production', () => {
    const prototype = '<%= it.titel %><%= Object.getPrototypeOf(it) === Object.prototype %>'
    const { warnings, render } = appOf({ page: prototype }, false)
    assert.equal(render('page', VALUES), 'true')
    assert.deepEqual(warnings, [])
    assert.equal(templateEngine({ page: prototype }, { debug: true }).render('page', {}), 'true')
  })
})
