import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { PACKAGE } from '../cli/command-line.ts'
import { check, controller, type Files, project, routing } from './project.ts'

const APP = `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  messages: new URL('./messages/', import.meta.url),
  languages: ['en', 'de'],
})
`

const EN = '{\n  "home": "Home",\n  "loan.done": "Lent to {name}",\n  "books": "{n, plural, one {#} other {#}}"\n}'

/** Runs the check of a project with one action, one template and messages. */
async function findingsIn(code: string, template = '', files: Files = {}): Promise<string[]> {
  const folder = project({
    'app.ts': APP,
    'config/routing.ts': routing("connect('/', { controller: 'pages' })"),
    'controllers/pages.ts': controller('PagesController', `index() { ${code} }`),
    'templates/page.eta': `<p>\n${template}`,
    'messages/en.json': EN,
    'messages/de.json': '{ "only.de": "Nur {wort}" }',
    ...files,
  })
  symlinkSync(join(PACKAGE, 'node_modules/intl-messageformat'), join(folder, 'node_modules/intl-messageformat'))
  const { findings, stderr } = await check(folder)
  assert.equal(stderr, '')
  return findings.map(({ severity, code, file, line, column, message, fix }) =>
    [severity, code, `${file}:${line}:${column}`, message, fix].join(' '),
  )
}

const RIGHT: readonly (readonly [title: string, code: string, template?: string])[] = [
  ['a message', "return this.t('home')"],
  ['a message with its values', "return this.t('loan.done', { name: 'Ann' })"],
  ['a message of another language', "return this.t('only.de', { wort: 'x' })"],
  ['values that are not certain', "const values = { name: 'x' }\nreturn this.t('loan.done', values)"],
  ['values that are spread', "const name = {}\nreturn this.t('loan.done', { ...name })"],
  ['a key that is computed', "return this.t('x.' + String(1))"],
  ['messages of templates', "return this.render('page')", "<%= it.t('home') %><%= it.t('books', { n: 1 }) %>"],
  ['another t', "return this.render('page', { t: String })", "<%= it.t('none') %>"],
  ['another it', "return this.render('page')", "<% [].map((it) => it.t('none')) %>"],
]

const WRONG: readonly (readonly [title: string, code: string, template: string, finding: string])[] = [
  [
    'an unknown message in a template',
    "return this.render('page')",
    "<%= it.t('hme') %>",
    'error message-unknown templates/page.eta:2:10 page.eta names the message "hme", which no language has. Did you mean "home"?',
  ],
  [
    'missing values',
    "return this.render('page')",
    "<%= it.t('loan.done') %>",
    'error message-values templates/page.eta:2:10 page.eta names the message "loan.done" and lacks the value name. It takes name.',
  ],
  [
    'another value',
    "return this.render('page')",
    "<%= it.t('loan.done', { who: 'x' }) %>",
    'error message-values templates/page.eta:2:10 page.eta names the message "loan.done" and lacks the value name, and gives the value who, which the message does not take. It takes name.',
  ],
  [
    'superfluous values in a template',
    "return this.render('page')",
    "<%= it.t('home', { name: 'x' }) %>",
    'warning message-superfluous templates/page.eta:2:10 page.eta names the message "home" and gives the value name, which the message does not take. Leave the values out.',
  ],
]

describe('check of messages', () => {
  for (const [title, code, template] of RIGHT) {
    it(`accepts ${title}`, async () => assert.deepEqual(await findingsIn(code, template), []))
  }
  for (const [title, code, template, finding] of WRONG) {
    it(`reports ${title}`, async () => assert.deepEqual(await findingsIn(code, template), [finding]))
  }

  it('reports a value that the default language does not take', async () => {
    const files = { 'messages/de.json': '{\n  "home": "Daheim",\n  "loan.done": "An {nmae}"\n}' }
    const [finding, ...others] = await findingsIn("return this.t('home')", '', files)
    assert.match(
      finding ?? '',
      /^error message-values messages\/de\.json:3:3 The message "loan\.done" takes the value nmae, which it does not take in en\. Correct the name, or add it to .*en\.json\.$/,
    )
    assert.deepEqual(others, [])
  })

  it('reports a malformed file', async () => {
    const [finding] = await findingsIn('return ""', '', { 'messages/de.json': '{ "home": "{" }' })
    assert.match(finding ?? '', /^error application-unloadable .*de\.json: the message "home" is malformed/)
  })
})
