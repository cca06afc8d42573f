import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PACKAGE, propylonHere, temporaryFolder, writeTree } from '../cli/command-line.ts'

const { version }: { version: string } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
const MANIFEST = '{ "dependencies": { "propylon": "^0.2.0" } }\n'

/** Upgrades an application of one module, and returns the module and what the command printed. */
async function upgraded(text: string, path = 'app.ts', ...words: string[]) {
  const folder = temporaryFolder()
  writeTree(folder, { 'package.json': MANIFEST, [path]: text })
  const outcome = await propylonHere(['upgrade', ...words], folder)
  assert.deepEqual([outcome.status, outcome.stderr], [0, ''])
  return { text: readFileSync(join(folder, path), 'utf8'), folder, stdout: outcome.stdout }
}

describe('propylon upgrade changes', () => {
  for (const [title, before, after] of [
    [
      'a name that has moved',
      "import { formatHttpDate, Mapper } from 'propylon'\n",
      "import { Mapper } from 'propylon'\nimport { formatHttpDate } from 'propylon/http'\n",
    ],
    ['the only name', "import { Form } from 'propylon'\n", "import { Form } from 'propylon/http'\n"],
    [
      'local names, types, quotes and semicolons',
      'import { type MediaType, parseQuery as q, abort } from "propylon";\n',
      'import { abort } from "propylon";\nimport { type MediaType, parseQuery as q } from "propylon/http";\n',
    ],
    [
      'names of several entries',
      "import { JSONRPCErrorCode, parseAccept, type RouteDefinition } from 'propylon'\n",
      "import { JSONRPCErrorCode } from 'propylon/rpc'\nimport { parseAccept } from 'propylon/http'\nimport { type RouteDefinition } from 'propylon/routing'\n",
    ],
    [
      'imports of types',
      "import type { PartHeaders, Request } from 'propylon'\n",
      "import type { Request } from 'propylon'\nimport type { RequestHeaders as PartHeaders } from 'propylon/http'\n",
    ],
    [
      'exports of another module',
      "export { accepts as best } from 'propylon'\n",
      "export { accepts as best } from 'propylon/http'\n",
    ],
  ] as const) {
    test(title, async () => assert.equal((await upgraded(before)).text, after))
  }

  test('the version in package.json', async () => {
    const { folder, stdout } = await upgraded('')
    const text = readFileSync(join(folder, 'package.json'), 'utf8')
    assert.equal(text, MANIFEST.replace('^0.2.0', `^${version}`))
    assert.match(stdout, /^changed package\.json: propylon \^/m)
  })

  test('nothing the second time', async () => {
    const { folder, text } = await upgraded("import { Form, Mapper } from 'propylon'\n")
    await propylonHere(['upgrade'], folder)
    assert.equal(readFileSync(join(folder, 'app.ts'), 'utf8'), text)
  })
})

describe('propylon upgrade leaves as it is', () => {
  for (const [title, text, path] of [
    ['names that have not moved', "import { Mapper } from 'propylon'\n", 'app.ts'],
    ['names of other packages', "import { Form } from 'other'\n", 'app.ts'],
    ['packages', "import { Form } from 'propylon'\n", 'node_modules/other/index.js'],
    ['a module with a syntax error', "import { Form from 'propylon'\n", 'app.ts'],
    ['a statement with a comment', "import { Form /* of visitors */ } from 'propylon'\n", 'app.ts'],
  ] as const) {
    test(title, async () => assert.equal((await upgraded(text, path)).text, text))
  }

  test('everything with --dry-run', async () => {
    const before = "import { Form } from 'propylon'\n"
    const { text, stdout } = await upgraded(before, 'app.ts', '--dry-run')
    assert.equal(text, before)
    assert.match(stdout, /^would change app\.ts: Form from propylon\/http$/m)
  })

  test('a folder that is not an application', async () => {
    const { status, stderr } = await propylonHere(['upgrade'], temporaryFolder())
    assert.equal(status, 2)
    assert.match(stderr, /there is no package\.json/)
  })
})

describe('propylon upgrade prints', () => {
  for (const [text, expected] of [
    ["import { Form from 'propylon'", /^app\.ts:1 The file cannot be parsed/m],
    [
      "import { Form /* x */ } from 'propylon'",
      /^app\.ts:1 This statement has a comment\. Change it to: import/m,
    ],
    [
      "\nimport * as p from 'propylon'\np.parseQuery('')",
      /^app\.ts:2 Import parseQuery from propylon\/http\.$/m,
    ],
    [
      "import type { Element } from 'propylon/testing'",
      /^app\.ts:1 propylon\/testing does not export Element\.$/m,
    ],
    ["class A extends BaseController {\n  b() {\n    this.session.flash('a', 'b')", /^app\.ts:1 The file/m],
    ["this.session.flash('notice', 'Saved.')", /^app\.ts:1 session\.flash\(\) adds a message\./m],
    [
      "import {} from 'propylon'\nclass A extends JSONRPCController {}",
      /^app\.ts:2 JSONRPCController has no/m,
    ],
    ['class A extends BController {\n  async t() {\n  }\n}', /^app\.ts:2 this\.t\(\) writes messages/m],
    ["import 'propylon'\nserve(app, { trustProxy: true })", /^app\.ts:2 Servers read X-Forwarded-\* only/m],
    ["class A extends BController {\n  contentType = 'text/csv'\n}", /^app\.ts:2 charset=utf-8 is added/m],
  ] as const) {
    test(`${expected.source} for ${JSON.stringify(text)}`, async () => {
      assert.match((await upgraded(`${text}\n`)).stdout, expected)
    })
  }
})
