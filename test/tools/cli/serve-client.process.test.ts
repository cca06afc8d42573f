import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { bareProject, writeTree } from './command-line.ts'
import { install, propylon, start } from './command-process.ts'

/** Returns an application whose document has one operation. */
function appWith(operationId: string): string {
  const document = {
    openapi: '3.1.1',
    info: { title: 'Test', version: '1' },
    paths: { '/a': { get: { operationId, responses: { 204: { description: '' } } } } },
  }
  const openapi = `{ title: 'Test', version: '1', transform: () => (${JSON.stringify(document)}) }`
  return `import { FrameworkApp, Mapper } from 'propylon'
export default new FrameworkApp({ map: new Mapper(), controllers: {}, openapi: ${openapi} })
`
}

describe('serve --reload --client', () => {
  let cwd: string
  let child: ReturnType<typeof start>
  let output = ''
  /** Waits until a text is written behind the last one that was waited for. */
  const written = async (text: string) => {
    while (!output.includes(text)) {
      const ended = once(child, 'close').then(() => assert.fail(`ended: ${output}`))
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended])
    }
    output = output.slice(output.indexOf(text) + text.length)
  }
  const client = () => readFileSync(join(cwd, 'web/api.ts'), 'utf8')

  before(async () => {
    cwd = bareProject()
    install(cwd)
    writeTree(cwd, { 'app.ts': appWith('first'), 'own.ts': 'export const own = 1\n' })
    child = start(['serve', '--port', '0', '--reload', '--client', 'web/api.ts'], { cwd })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: string) => {
        output += text
      })
    }
    await written('Serving')
  })
  after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })

  test('writes the client at start', async () => {
    await written('Wrote web/api.ts\n')
    assert.match(client(), /first\(args\?: NoArguments/)
    assert.deepEqual(await propylon(['client', '--out', 'web/api.ts', '--check'], { cwd }), {
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('writes it again when the document changes, without a request', async () => {
    writeFileSync(join(cwd, 'app.ts'), appWith('second'))
    await written('Wrote web/api.ts\n')
    assert.match(client(), /second\(args\?: NoArguments/)
  })

  test('keeps it while the application has no document, and says so', async () => {
    const before = statSync(join(cwd, 'web/api.ts')).mtimeMs
    writeFileSync(join(cwd, 'app.ts'), appWith('second').replace(/, openapi: .*/, ' })'))
    await written('web/api.ts was not written: the application has no OpenAPI document; ')
    writeFileSync(join(cwd, 'app.ts'), appWith('second'))
    writeTree(cwd, { 'model/a.ts': '' })
    assert.equal(statSync(join(cwd, 'web/api.ts')).mtimeMs, before)
    writeFileSync(join(cwd, 'app.ts'), appWith('third'))
    await written('Wrote web/api.ts\n')
    assert.match(client(), /third\(args\?: NoArguments/)
  })

  test('writes the client of a document at a path and for hosts of its own', async () => {
    const options = "openapi: { title: 'Own', version: '1', path: '/api/document.json' }, hosts: ['shop.example'],"
    const app = (action: string) => `import { FrameworkApp, Mapper, WSGIController } from 'propylon'
class BooksController extends WSGIController {
  static results = { ${action}: null }
  ${action}() {}
}
const map = new Mapper().connect('/books', { controller: 'books', action: '${action}' })
export default new FrameworkApp({ map, controllers: { books: BooksController }, ${options} })
`
    writeFileSync(join(cwd, 'app.ts'), app('sell'))
    await written('Wrote web/api.ts\n')
    assert.match(client(), /sell\(args\?: NoArguments/)
    writeFileSync(join(cwd, 'app.ts'), app('buy'))
    await written('Wrote web/api.ts\n')
    assert.match(client(), /buy\(args\?: NoArguments/)
  })

  test('says why the document cannot be made', async () => {
    const wrong = "static pages = { bye: 'books/bye' }"
    const app = `import { FrameworkApp, Mapper, WSGIController } from 'propylon'
class BooksController extends WSGIController {
  static results = { buy: null }
  ${wrong}
  buy() {}
}
const map = new Mapper().connect('/books', { controller: 'books', action: 'buy' })
export default new FrameworkApp({ map, controllers: { books: BooksController }, openapi: { title: 'Own', version: '1' } })
`
    writeFileSync(join(cwd, 'app.ts'), app)
    await written('web/api.ts was not written: ')
    await written('BooksController: static pages names "bye"')
  })

  for (const [what, words, message] of [
    ['without --reload', ['--client', 'a.ts'], /--client needs --reload; add --reload/],
    ['with --workers', ['--reload', '--client', 'a.ts', '-w', '1'], /--client and --workers exclude each other/],
    ['a file that is not a client', ['--reload', '--client', 'own.ts'], /'.*own\.ts' is not a generated client/],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const outcome = await propylon(['serve', '--port', '0', ...words], { cwd })
      assert.deepEqual([outcome.status, outcome.stdout], [2, ''])
      assert.match(outcome.stderr, message)
    })
  }
})
