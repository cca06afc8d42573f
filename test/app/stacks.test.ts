import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'

function deep(levels: number): never {
  if (levels > 0) return deep(levels - 1)
  throw new Error('deep')
}

class PagesController extends WSGIController {
  index() {
    throw new Error('boom\n    at hidden (node:fs:1:1)')
  }
  async later() {
    await null
    throw new RangeError('outer', { cause: new TypeError('inner') })
  }
  route() {
    return this.url('nope')
  }
  template() {
    return this.render('list')
  }
  number(): unknown {
    return 42
  }
  deep() {
    return deep(15)
  }
}

/** Returns what an application logs for a request, line by line. */
async function logged(path: string, debug = false): Promise<string[]> {
  const lines: string[] = []
  const app = new FrameworkApp({
    map: new Mapper().connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController },
    templates: { list: '<% it.missing.member %>' },
    debug,
    logger: { info() {}, warn() {}, error: (message: string) => lines.push(...message.split('\n')) },
  })
  await app.fetch(new Request(`http://localhost${path}`))
  return lines
}

const OWN = /^ {4}at .*test\/app\/stacks\.test\.ts:\d+:\d+\)?$/
const COUNT = /^ {4}and \d+ frames of propylon and the runtime$/

describe('a logged stack', () => {
  it('has the frames of the application and a count of the others', async () => {
    const lines = await logged('/index')
    assert.deepEqual(lines.slice(0, 3), ['GET /index', 'Error: boom', '    at hidden (node:fs:1:1)'])
    assert.match(lines.at(-1) ?? '', COUNT)
    const own = lines.slice(3, -1)
    assert.ok(own.length > 0 && own.every((line) => OWN.test(line)), lines.join('\n'))
  })

  it('has those of the cause as well', async () => {
    const lines = await logged('/later')
    assert.deepEqual(
      lines.filter((line) => !/^ {4}/.test(line)),
      ['GET /later', 'RangeError: outer', 'Caused by: TypeError: inner'],
    )
    assert.equal(lines.filter((line) => OWN.test(line)).length, 2)
  })

  it('begins with the application if the framework throws', async () => {
    const lines = await logged('/route')
    assert.match(lines.find((line) => line.startsWith('    at ')) ?? '', OWN)
    assert.equal(lines.filter((line) => line.includes('/src/')).length, 0, lines.join('\n'))
  })

  it('has no frames of the framework for an error with an explanation', async () => {
    const text = (await logged('/number')).join('\n')
    assert.match(text, /^GET \/number:?\s+UnusableResultError: .* \[UNUSABLE_RESULT\]$/m)
    // The function that sends the request is among the frames that V8 captures if the runner has few of its own.
    assert.doesNotMatch(text, /\/src\//)
  })

  it('has no frames if the action does not exist', async () => {
    const lines = await logged('/missing', true)
    assert.match(lines[0] ?? '', /^GET \/missing: ActionNotFound: /)
    assert.equal(lines.length, 1, lines.join('\n'))
  })

  it('shows the controller below many frames in debug mode', async () => {
    const { stackTraceLimit } = Error
    try {
      Error.stackTraceLimit = 10
      const lines = await logged('/deep', true)
      assert.ok(
        lines.some((line) => line.includes('at PagesController.deep')),
        lines.join('\n'),
      )
      Error.stackTraceLimit = 7
      await logged('/index', true)
      assert.equal(Error.stackTraceLimit, 7, 'a limit of the application stays')
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
  })
})

describe('a syntax error of a controller', () => {
  const folder = mkdtempSync(join(tmpdir(), 'propylon-syntax-'))
  after(() => rmSync(folder, { recursive: true }))
  const files: readonly (readonly [file: string, text: string, place: string, source: string])[] = [
    [
      'users.ts',
      'export class UsersController {\n  index() { return foo(1 "x") }\n}\n',
      '2:26',
      '  index() { return foo(1 "x") }',
    ],
  ]
  for (const [index, [file, text, place, source]] of files.entries()) {
    it(`names ${file}:${place} and its line, in the error of TestApp`, async () => {
      const directory = join(folder, String(index))
      mkdirSync(directory)
      writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
      writeFileSync(join(directory, file), text)
      const app = new FrameworkApp({
        map: new Mapper().connect('/{controller}'),
        controllers: pathToFileURL(`${directory}/`),
        logger: { info() {}, warn() {}, error() {} },
      })
      const error: unknown = await new TestApp(app).get('/users').then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof Error)
      const [first, second, third = ''] = error.message.split('\n')
      assert.ok(first?.includes(`/${index}/${file}:${place}: `), first)
      assert.equal(second, source)
      assert.equal(third.indexOf('^') + 1, Number(place.split(':')[1]))
      assert.doesNotMatch(error.message, /Export/)
    })
  }

  it('is logged once, without frames', async () => {
    const directory = join(folder, '0')
    const logged: string[] = []
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}'),
      controllers: pathToFileURL(`${directory}/`),
      logger: { info() {}, warn() {}, error: (message: string) => logged.push(message) },
    })
    await new TestApp(app, { errors: 'page' }).get('/users')
    assert.equal(logged[0]?.split('  index() { return foo(1 "x") }').length, 2, logged[0])
    assert.doesNotMatch(logged[0] ?? '', /^ {4}at |frames of/m)
  })

  it('names the module that the controller imports', async () => {
    const directory = join(folder, 'imported')
    mkdirSync(directory)
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(directory, '_lib.ts'), '\nconst = 1\n')
    writeFileSync(join(directory, 'users.ts'), "import './_lib.ts'\n")
    const app = new FrameworkApp({
      map: new Mapper().connect('/{controller}'),
      controllers: pathToFileURL(`${directory}/`),
      logger: { info() {}, warn() {}, error() {} },
    })
    await assert.rejects(new TestApp(app).get('/users'), /_lib\.ts:2:7: .*\nconst = 1\n {6}\^/)
  })
})
