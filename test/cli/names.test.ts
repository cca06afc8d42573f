import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { UsageError } from '../../src/cli/errors.ts'
import { controllerName } from '../../src/cli/names.ts'
import { REFUSED_NAMES } from './refused-names.ts'

describe('a controller name as typed', () => {
  const good: [typed: string, path: string, className: string][] = [
    ['hello', 'hello', 'HelloController'],
    ['my_thing', 'my_thing', 'MyThingController'],
    ['with-dash', 'with_dash', 'WithDashController'],
    ['admin/panel', 'admin/panel', 'PanelController'],
    ['site-admin/front-page', 'site_admin/front_page', 'FrontPageController'],
    ['a/b/things', 'a/b/things', 'ThingsController'],
    ['hello.ts', 'hello', 'HelloController'],
    ['v2', 'v2', 'V2Controller'],
    ['x'.repeat(100), 'x'.repeat(100), `X${'x'.repeat(99)}Controller`],
  ]
  for (const [typed, path, className] of good) {
    test(`${typed.slice(0, 30)} is the controller ${path.slice(0, 30)}`, () => {
      const name = controllerName(typed)
      assert.equal(name.path, path)
      assert.equal(name.className, className)
      assert.deepEqual([...name.directories, name.name].join('/'), path)
    })
  }
})

describe('an invalid name is refused', () => {
  for (const [typed, because] of REFUSED_NAMES) {
    test(`${JSON.stringify(typed.slice(0, 20))}: ${because.source}`, () => {
      assert.throws(
        () => controllerName(typed),
        (error) =>
          error instanceof UsageError && because.test(error.message) && !/\p{Cc}/u.test(error.message),
      )
    })
  }

  test('any text gives a name inside the folder or a message of one line', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z./_\\-]{1,20}$/)),
        (typed) => {
          try {
            assert.match(controllerName(typed).path, /^[A-Za-z]\w*(\/[A-Za-z]\w*)*$/)
          } catch (error) {
            if (!(error instanceof UsageError)) throw error
            assert.doesNotMatch(error.message, /[\p{Cc}\u2028\u2029]/u)
          }
        },
      ),
    )
  })
})
