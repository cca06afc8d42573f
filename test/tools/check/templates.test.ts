import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { check, controller, type Files, project, routing } from './project.ts'

const APP = `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
})
`

/** Returns a project with one action and some templates. */
function rendering(body: string, templates: Files): Files {
  return {
    'app.ts': APP,
    'config/routing.ts': routing(
      "connect('home', '/', { controller: 'pages' })",
      "connect('user', '/users/{id}', { controller: 'pages', action: 'show' })",
    ),
    'controllers/pages.ts': controller('PagesController', `index() { ${body} }`, 'show(id: string) { return id }'),
    'templates/layouts/site.eta': '<%~ it.body %>',
    ...Object.fromEntries(Object.entries(templates).map(([name, text]) => [`templates/${name}`, text])),
  }
}

const WRONG: readonly (readonly [
  title: string,
  body: string,
  templates: Files,
  code: string,
  at: string,
  says: string,
])[] = [
  [
    'a template that does not exist',
    "return this.render('pages/shwo')",
    { 'pages/show.eta': 'x' },
    'template-missing',
    'controllers/pages.ts:4:32',
    'Did you mean "pages/show"?',
  ],
  [
    'a template of a prompt that does not exist',
    "return 'x' }\n  static prompts = { review: 'pages/reviw' }\n  _other() { return 'x'",
    { 'pages/review.eta': 'x' },
    'template-missing',
    'controllers/pages.ts:5:22',
    'static prompts of PagesController has for review the template "pages/reviw": it does not exist.',
  ],
  [
    'one of two templates',
    "return this.render(this.c.x ? 'a' : 'b')",
    { 'a.eta': 'x' },
    'template-missing',
    'controllers/pages.ts:4:49',
    '"b"',
  ],
  [
    'a name with a slash',
    "return this.render('/a.mako')",
    { 'a.eta': 'x' },
    'template-missing',
    'controllers/pages.ts:4:32',
    'begin without a slash',
  ],
  [
    'an include',
    "return this.render('a')",
    { 'a.eta': '<p>\n<%~ include("part") %>' },
    'template-missing',
    'templates/a.eta:2:13',
    'a.eta names the template "part"',
  ],
  [
    'an include beside a template',
    "return this.render('d/a')",
    { 'd/a.eta': '<%~ include("./b") %>', 'b.eta': '' },
    'template-missing',
    'templates/d/a.eta:1:13',
    '"./b"',
  ],
  [
    'a layout',
    "return this.render('a')",
    { 'a.eta': '<% layout("layouts/sit") %>' },
    'template-missing',
    'templates/a.eta:1:11',
    'Did you mean "layouts/site"?',
  ],
  [
    'a route',
    "return this.render('a')",
    { 'a.eta': '<h1>\n  <a href="<%= it.url("usr", { id: 1 }) %>">' },
    'template-route-unknown',
    'templates/a.eta:2:23',
    'Did you mean "user"?',
  ],
  [
    'a route in a block of code',
    "return this.render('a')",
    { 'a.eta': '<% for (const id of [1]) { %><%= it.url(id ? "user" : "gone", { id }) %><% } %>' },
    'template-route-unknown',
    'templates/a.eta:1:55',
    '"gone"',
  ],
  [
    'a route of another page',
    "return this.render('a')",
    { 'a.eta': '<%= it.url.current("gone") %>' },
    'template-route-unknown',
    'templates/a.eta:1:20',
    '"gone"',
  ],
]

const RIGHT: readonly (readonly [title: string, body: string, templates: Files])[] = [
  [
    'names that exist',
    "return this.render('a')",
    { 'a.eta': '<% layout("layouts/site") %><%= it.url("home") %><%~ include("./part") %>', 'part.eta': '' },
  ],
  ['a name with its extension', "return this.render('mail.txt')", { 'mail.txt.eta': 'x' }],
  [
    'a name that is computed',
    'return this.render(`pages/`.concat(String(this.c.x)))',
    { 'a.eta': '<%~ include(it.name) %><%= it.url(it.name) %>' },
  ],
  [
    'a path and an address',
    "return this.render('a')",
    { 'a.eta': '<%= it.url("/x") %><%= it.url("https://example.org") %>' },
  ],
  [
    'names in texts and comments',
    "return this.render('a')",
    { 'a.eta': 'it.url("gone") <%/* it.url("gone") include("gone") */%> <%= "it.url(\'gone\')" %>' },
  ],
  [
    'another it',
    "return this.render('a')",
    { 'a.eta': '<%= [{ url: (name) => name }].map((it) => it.url("gone")) %>' },
  ],
  [
    'a value named url',
    "return this.render('a', { url: (name: string) => name })",
    { 'a.eta': '<%= it.url("gone") %>' },
  ],
  [
    'a template that cannot be parsed, which rendering reports',
    "return this.render('a')",
    { 'a.eta': '<%= it.url("gone" %>' },
  ],
  ['an own method render', "return this.other('gone')", { 'a.eta': 'x' }],
]

describe('check reports templates and routes in templates that do not exist', () => {
  for (const [title, body, templates, code, at, says] of WRONG) {
    it(title, async () => {
      const { findings } = await check(project(rendering(body, templates)))
      assert.deepEqual(
        findings.map((found) => [found.code, `${found.file}:${found.line}:${found.column}`]),
        [[code, at]],
      )
      assert.ok(`${findings[0]?.message} ${findings[0]?.fix}`.includes(says), findings[0]?.message)
    })
  }
})

describe('check accepts templates', () => {
  for (const [title, body, templates] of RIGHT) {
    it(title, async () => assert.deepEqual((await check(project(rendering(body, templates)))).findings, []))
  }

  it('of another engine', async () => {
    const files = rendering("return this.render('gone')", {})
    const engine = APP.replace("new URL('./templates/', import.meta.url)", '{ render: (name: string) => name }')
    assert.deepEqual((await check(project({ ...files, 'app.ts': engine }))).findings, [])
  })
})
