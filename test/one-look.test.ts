/** Checks that created projects, examples, pages of the framework and the site share one style sheet and its colours. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, XMLRPCController } from 'propylon'
import { TestApp } from 'propylon/testing'

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

function coloursOf(text: string): string[] {
  return [...new Set(text.match(/#[0-9a-f]{6}\b/g))]
}

const sheet = read('src/tools/cli/templates/project/public/style.css')
const colours = coloursOf(sheet)

describe('the style sheet of created projects', () => {
  for (const path of ['examples/users/public/users.css', 'examples/wiki/public/wiki.css']) {
    it(`is imported by ${path}, which names no further colours`, () => {
      const text = read(path)
      assert.match(text, /^@import url\("\.\.\/style\.css"\);$/m)
      assert.deepEqual(coloursOf(text), [])
    })
  }
})

describe('the colours of created projects', () => {
  class Service extends XMLRPCController {
    ping() {
      return 'pong'
    }
  }
  const map = new Mapper().connect('/{controller}', { action: 'index' })
  /** The ground of the line of source that has failed, which only pages of development have. */
  const marks = ['#ffe6e0', '#4b1d20']

  for (const [page, path, errors] of [
    ['an error', '/nowhere', 'page'],
    ['an error in debug mode', '/nowhere', 'debug'],
    ['a service', '/service', 'page'],
  ] as const) {
    it(`are those of the page of ${page}`, async () => {
      const app = new FrameworkApp({
        map,
        controllers: { service: Service },
        logger: { info() {}, warn() {}, error() {} },
      })
      const response = await new TestApp(app, { errors, headers: { Accept: 'text/html' } }).get(path)
      const [, style = ''] = /<style[^>]*>([^<]*)</.exec(response.text) ?? []
      const used = coloursOf(style)
      assert.ok(used.length > 5, response.text)
      assert.deepEqual(
        used.filter((colour) => !colours.includes(colour) && !marks.includes(colour)),
        [],
      )
    })
  }

  it('are those of the site', () => {
    const theme = read('docs/site/.vitepress/theme/style.css')
    const [, light, dark] = /--accent: light-dark\((#\w+), (#\w+)\)/.exec(sheet) ?? []
    assert.deepEqual(
      [...theme.matchAll(/--vp-c-brand-1: (#\w+)/g)].map(([, colour]) => colour),
      [light, dark],
    )
  })
})
