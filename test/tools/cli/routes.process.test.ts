import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { controller, project, routing } from '../check/project.ts'
import { writeTree } from './command-line.ts'
import { createdProject, propylon } from './command-process.ts'

describe('routes', () => {
  let cwd: string
  before(async () => {
    cwd = await createdProject()
    await propylon(['restcontroller', 'comment', 'comments', '--route'], { cwd })
  })

  test('prints a table in the order of matching', async () => {
    const { status, stdout } = await propylon(['routes'], { cwd })
    assert.equal(status, 0)
    const lines = stdout.split('\n')
    assert.match(lines[0] ?? '', /^Name +Methods +Path +Controller +Action$/)
    assert.match(lines[1] ?? '', /^home +any +\/ +pages +index$/)
    assert.match(stdout, /^edit_comment +GET +\/comments\/\{id\}\/edit +comments +edit$/m)
    assert.ok(stdout.indexOf('{id};edit') < stdout.indexOf('/{controller}'))
  })

  test('keeps the routes that contain every word', async () => {
    const { stdout } = await propylon(['routes', 'COMMENTS', 'delete'], { cwd })
    const lines = stdout.trim().split('\n').slice(1)
    assert.ok(lines.length > 0)
    assert.ok(lines.every((line) => /DELETE .*\/comments\//.test(line)))
  })

  test('reports on stderr that none does', async () => {
    assert.deepEqual(await propylon(['routes', 'zzz'], { cwd }), {
      status: 1,
      stdout: '',
      stderr: 'No route contains all these words.\n',
    })
  })

  test('prints JSON', async () => {
    const { stdout } = await propylon(['routes', '--json', 'home'], { cwd })
    const [route] = JSON.parse(stdout)
    assert.deepEqual([route.name, route.methods, route.path, route.controller], ['home', null, '/', 'pages'])
  })

  test('lists WebSockets first, with their class', async () => {
    const cwd = project({
      'config/routing.ts': routing("connect('/', { controller: 'books', action: 'index' })"),
      'controllers/books.ts': controller('BooksController', 'index() { return "books" }'),
      'app.ts': `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

class ChatSocket { message() {} }

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  sockets: { '/chat/{room}': ChatSocket, '/echo': { message() {} } },
})
`,
    })
    const { status, stdout } = await propylon(['routes'], { cwd })
    assert.equal(status, 0)
    const rows = stdout.trim().split('\n').slice(1)
    assert.deepEqual(
      rows.map((row) => row.trim().split(/ {2,}/)),
      [
        ['WebSocket', '/chat/{room}', 'ChatSocket'],
        ['WebSocket', '/echo'],
        ['any', '/', 'books', 'index'],
      ],
    )
    const found = await propylon(['routes', 'websocket', 'room', '--json'], { cwd })
    const [socket, ...others] = JSON.parse(found.stdout)
    assert.deepEqual([socket.path, socket.methods, socket.controller], ['/chat/{room}', ['WebSocket'], 'ChatSocket'])
    assert.deepEqual(others, [])
  })

  test('names an application that does not load, with the reason and status 1', async () => {
    writeFileSync(join(cwd, 'app.ts'), 'export default (')
    const { status, stdout, stderr } = await propylon(['routes'], { cwd })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^propylon: app\.ts does not load\n(?:.|\n)*SyntaxError/)
  })

  test('suggests the extension that an import lacks', async () => {
    writeTree(cwd, { 'model/base.ts': '', 'app.ts': "import './model/base'" })
    const { status, stderr } = await propylon(['routes'], { cwd })
    assert.equal(status, 1)
    assert.match(stderr, /Cannot find module '.*base' imported from .*app\.ts \(did you mean 'base\.ts'\?/)
  })

  test('refuses an app.ts without an application', async () => {
    writeFileSync(join(cwd, 'app.ts'), 'export default 1')
    const { status, stderr } = await propylon(['routes'], { cwd })
    assert.equal(status, 2)
    assert.match(stderr, /app\.ts exports no application; end it with/)
  })
})
