import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import bodyParser from 'body-parser'
import morgan from 'morgan'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { fromConnect } from 'propylon/node'

class NotesController extends WSGIController {
  create() {
    return 'created'
  }
  fails() {
    throw new Error('broken')
  }
}

const lines: string[] = []
const app = new FrameworkApp({
  map: new Mapper().connect('/{action}', { controller: 'notes' }),
  controllers: { notes: NotesController },
  logger: { info() {}, warn() {}, error() {} },
  middleware: [
    fromConnect(morgan(':method :url :status', { stream: { write: (line) => void lines.push(line.trim()) } })),
    fromConnect(bodyParser.json({ limit: 100 })),
    fromConnect((_req, _res, next) => next()),
  ],
})

const rows: [path: string, body: string | undefined, line: string][] = [
  ['/create', '{}', 'POST /create 200'],
  ['/create', '{"a":', 'POST /create 400'],
  ['/create', `"${'x'.repeat(200)}"`, 'POST /create 413'],
  ['/fails', undefined, 'GET /fails 500'],
  ['/%ff', undefined, 'GET /%ff 400'],
]

describe('a log of Connect around other handlers', () => {
  for (const [path, body, line] of rows) {
    it(`has the line ${line}`, async () => {
      lines.length = 0
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: body ?? null }
      const response = await app.fetch(new Request(`http://localhost${path}`, body === undefined ? {} : post))
      await response.text()
      assert.deepEqual([...lines, String(response.status)], [line, line.slice(-3)])
    })
  }
})
