import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { bareProject, contents, propylonHere } from './command-line.ts'

describe('a controller name', () => {
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
    test(`${typed.slice(0, 30)} creates the controller ${path.slice(0, 30)}`, async () => {
      const cwd = bareProject()
      const { status, stderr } = await propylonHere(['controller', typed], cwd)
      assert.equal(status, 0, stderr)
      const source = readFileSync(join(cwd, `controllers/${path}.ts`), 'utf8')
      assert.match(source, new RegExp(`export class ${className} extends`))
    })
  }

  test('of any text names a file in controllers/ or is refused with one line', async () => {
    const cwd = bareProject()
    const before = contents(cwd)
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z./_\\-]{1,20}$/))
    await fc.assert(
      fc.asyncProperty(text, async (typed) => {
        const { status, stdout, stderr } = await propylonHere(['controller', '--dry-run', '--', typed], cwd)
        if (status === 0) assert.match(stdout, /^would create controllers\/[A-Za-z]\w*(\/[A-Za-z]\w*)*\.ts\n/)
        else {
          assert.equal(status, 2)
          assert.match(stderr, /^propylon: [^\p{Cc}\u2028\u2029]+\n$/u)
        }
      }),
    )
    assert.deepEqual(contents(cwd), before)
  })
})
