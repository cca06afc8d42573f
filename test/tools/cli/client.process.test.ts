import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ServerHandle, serve } from 'propylon/node'
import { libraryApp } from '../../rpc/client/library-app.ts'
import { bareProject, propylonHere, temporaryFolder, writeTree } from './command-line.ts'
import { install, propylon } from './command-process.ts'

const LIBRARY = join(import.meta.dirname, '../../rpc/client')
const golden = readFileSync(join(LIBRARY, 'library-client.ts'), 'utf8')
const library = readFileSync(join(LIBRARY, 'library.json'), 'utf8')

/** The document of a service, as RPCController writes it. */
const SERVICE = {
  openapi: '3.1.1',
  info: { title: 'Stock', version: '1.0.0' },
  paths: {
    '/stock.find': {
      post: {
        operationId: 'stock_find',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
            },
          },
        },
        responses: {
          200: { description: 'The result.', content: { 'application/json': { schema: {} } } },
          default: { $ref: '#/components/responses/Problem' },
        },
      },
    },
  },
}

/** Returns the client of the library, as it is generated from a source. */
function clientFrom(source: string): string {
  return golden.replace(' from library.json', source === '' ? '' : ` from ${source}`)
}

test('the client that the tests use is up to date', async () => {
  const outcome = await propylonHere(['client', 'library.json', '--out', 'library-client.ts', '--check'], LIBRARY)
  assert.deepEqual(outcome, { status: 0, stdout: '', stderr: '' })
})

describe('client of a project', () => {
  let cwd: string
  before(() => {
    cwd = bareProject()
    install(cwd)
    writeTree(cwd, {
      '.env': 'TITLE=Library\n',
      'openapi.json': library,
      'app.ts': `import { readFileSync } from 'node:fs'
import { FrameworkApp, Mapper } from 'propylon'
if (process.env.TITLE === undefined) throw new Error('.env was not read')
const transform = () => JSON.parse(readFileSync(new URL('./openapi.json', import.meta.url), 'utf8'))
export default new FrameworkApp({ map: new Mapper(), controllers: {}, openapi: { title: 'Library', version: '1', transform } })
`,
    })
  })

  const client = (...words: string[]) => propylon(['client', ...words], { cwd })
  const file = () => join(cwd, 'web/api.ts')

  test('is written, with its folder', async () => {
    assert.deepEqual(await client('--out', 'web/api.ts'), {
      status: 0,
      stdout: 'Wrote web/api.ts\n',
      stderr: '',
    })
    assert.equal(readFileSync(file(), 'utf8'), clientFrom(''))
    assert.equal((await client('--out', 'web/api.ts')).stdout, 'web/api.ts is up to date\n')
  })

  test('is up to date, also with the line ends of Windows', async () => {
    writeFileSync(file(), clientFrom('').replaceAll('\n', '\r\n'))
    assert.deepEqual(await client('-o', 'web/api.ts', '--check'), { status: 0, stdout: '', stderr: '' })
  })

  test('is not up to date with --check, which says what to run', async () => {
    writeFileSync(join(cwd, 'openapi.json'), library.replaceAll('Emma', 'Other').replace('books_show', 'books_read'))
    const text = readFileSync(file(), 'utf8')
    for (const name of ['web/api.ts', 'web/a new.ts']) {
      const word = name.includes(' ') ? `'${name}'` : name
      assert.deepEqual(await client('--out', name, '--check'), {
        status: 1,
        stdout: '',
        stderr: `${name} is not up to date. Run: propylon client --out ${word}\n`,
      })
    }
    assert.equal(readFileSync(file(), 'utf8'), text)
    assert.equal((await client('--out', 'web/api.ts')).status, 0)
    assert.match(readFileSync(file(), 'utf8'), /read\(args: \{ id: number \}/)
  })

  test('needs a document', async () => {
    writeFileSync(
      join(cwd, 'app.ts'),
      "import { FrameworkApp, Mapper } from 'propylon'\nexport default new FrameworkApp({ map: new Mapper(), controllers: {} })\n",
    )
    const { status, stderr } = await client('--out', 'web/api.ts')
    assert.equal(status, 2)
    assert.match(stderr, /^propylon: the application has no OpenAPI document; enable it: new FrameworkApp/)
  })
})

describe('client of a document', () => {
  let server: ServerHandle
  let cwd: string
  before(async () => {
    server = await serve(libraryApp(), { port: 0 })
    cwd = temporaryFolder()
    writeTree(cwd, {
      'api.json': `\uFEFF${library}`,
      'service.json': JSON.stringify(SERVICE),
      'swagger.json': '{"swagger":"2.0","paths":{}}',
      'old.json': library.replace('3.1.1', '3.0.3'),
      'foreign.json': library.replaceAll('"books_', '"').replaceAll('"admin_', '"'),
      'openrpc.json': '{"openrpc":"1.3.2","methods":[]}',
      'list.json': '[]',
      'api.yaml': 'openapi: 3.1.1\npaths: {}\n',
      'empty.json': '{"openapi":"3.1.1","paths":{}}',
      'malformed.json': '{"openapi":',
      'own.ts': 'export const own = 1\n',
    })
    mkdirSync(join(cwd, 'folder'))
  })
  after(() => server.close())

  test('in a file', async () => {
    assert.equal((await propylonHere(['client', 'api.json', '--out', 'api.ts'], cwd)).status, 0)
    assert.equal(readFileSync(join(cwd, 'api.ts'), 'utf8'), clientFrom('api.json'))
  })

  test('of a service', async () => {
    assert.equal((await propylonHere(['client', 'service.json', '--out', 'service.ts'], cwd)).status, 0)
    assert.match(readFileSync(join(cwd, 'service.ts'), 'utf8'), /stock_find\(args: \{ body: \{ query: string \} \}/)
  })

  test('without tags, by the ids of the operations', async () => {
    const document: { paths: Record<string, Record<string, { tags?: unknown }>> } = JSON.parse(library)
    for (const item of Object.values(document.paths)) for (const each of Object.values(item)) delete each.tags
    writeFileSync(join(cwd, 'untagged.json'), JSON.stringify(document))
    assert.equal((await propylonHere(['client', 'untagged.json', '--out', 'untagged.ts'], cwd)).status, 0)
    assert.match(readFileSync(join(cwd, 'untagged.ts'), 'utf8'), /^ {2}books_show\(args: \{ id: number \}/m)
  })

  test('at a URL, whose password is not written', async () => {
    const url = `${server.url}/openapi.json`
    const source = url.replace('//', '//joe:secret@')
    assert.equal((await propylonHere(['client', source, '--out', 'url.ts'], cwd)).status, 0)
    assert.equal(readFileSync(join(cwd, 'url.ts'), 'utf8'), clientFrom(url))
  })

  const refused: [what: string, words: string[], status: number, message: RegExp][] = [
    ['no file to write', ['api.json'], 2, /needs a file to write; write '--out FILE'/],
    ['a missing document', ['missing.json', '-o', 'a.ts'], 2, /'missing\.json' cannot be read \(ENOENT\)/],
    ...[
      'swagger.json',
      'old.json',
      'foreign.json',
      'openrpc.json',
      'list.json',
      'api.yaml',
      'empty.json',
      'malformed.json',
    ].map((file): [string, string[], number, RegExp] => [
      file,
      [file, '-o', 'a.ts'],
      1,
      /^propylon: \w+\.\w+ is not an OpenAPI document that Propylon wrote\. For others use openapi-typescript\.\n$/,
    ]),
    ['a file that is not a client', ['api.json', '-o', 'own.ts'], 2, /'.*own\.ts' is not a generated client; choose/],
    ['a folder', ['api.json', '-o', 'folder'], 2, /cannot be written: EISDIR/],
    ['a file below a file', ['api.json', '-o', 'own.ts/api.ts'], 2, /cannot be written: E/],
  ]
  for (const [what, words, status, message] of refused) {
    test(`refuses ${what}`, async () => {
      const outcome = await propylonHere(['client', ...words], cwd)
      assert.deepEqual([outcome.status, outcome.stdout], [status, ''])
      assert.match(outcome.stderr, message)
      assert.equal(readFileSync(join(cwd, 'own.ts'), 'utf8'), 'export const own = 1\n')
    })
  }

  for (const [path, message] of [
    ['/pages', /\/pages is not an OpenAPI document that Propylon wrote\. For others use openapi-typescript\./],
    ['/nothing', /the HTTP status is 404/],
  ] as const) {
    test(`refuses what the server has at ${path}`, async () => {
      const outcome = await propylonHere(['client', server.url + path, '--out', 'a.ts'], cwd)
      assert.equal(outcome.status, 1)
      assert.match(outcome.stderr, message)
    })
  }

  test('at a URL that cannot be reached', async () => {
    const outcome = await propylonHere(['client', 'http://127.0.0.1:1/openapi.json', '--out', 'a.ts'], cwd)
    assert.equal(outcome.status, 1)
    assert.match(outcome.stderr, /the connection failed/)
  })
})
