import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'

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
