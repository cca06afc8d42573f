import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'

describe('an unknown option of FrameworkApp', () => {
  for (const [name, message] of [
    ['hots', /^FrameworkApp has no option "hots"\. Did you mean hosts\?$/],
    ['crossSites', /Did you mean crossSite\?/],
    ['toString', /has no option "toString"\. Its options are map, controllers, /],
  ] as const) {
    it(`is refused: ${name}`, () => {
      const options = { map: new Mapper(), controllers: {}, [name]: [] }
      assert.throws(() => new FrameworkApp(options), { name: 'TypeError', message })
    })
  }
})

describe('the option mcp', () => {
  for (const mcp of [false, null, true, []]) {
    it(`refuses ${JSON.stringify(mcp)}`, () => {
      // Not in the type.
      const options = { map: new Mapper(), controllers: {}, mcp: mcp as unknown as object }
      assert.throws(() => new FrameworkApp(options), { name: 'TypeError', message: /^FrameworkApp: mcp is / })
    })
  }
})

describe('an unknown option', () => {
  const app = (name: string, options: object) =>
    new FrameworkApp({ map: new Mapper(), controllers: {}, [name]: options })
  const api = { title: 'Books', version: '1.0.0' }
  for (const [place, create, message] of [
    [
      'openapi',
      () => app('openapi', { ...api, securty: [] }),
      /openapi \}\) has no option "securty"\. .*security\?/,
    ],
    [
      'public',
      () => app('public', { directory: '.', prefx: '/a' }),
      /public \}\) has no option "prefx"\. .*prefix\?/,
    ],
    [
      'Mapper',
      () => new Mapper(Object({ prefx: '/a' })),
      /^Mapper has no option "prefx"\. Did you mean prefix\?/,
    ],
    [
      'body()',
      () => body(v.object({}), Object({ fomr: 'new' })),
      /^body\(\) has no option "fomr"\. .*form\?/,
    ],
  ] as const) {
    it(`of ${place} is refused`, () => {
      assert.throws(create, { name: 'TypeError', message })
    })
  }
})
