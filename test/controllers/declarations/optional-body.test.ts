/** A body that a schema accepts to be left out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import { z } from 'zod'

const Note = v.object({ text: v.string() })
const Filled = v.object({ text: v.optional(v.string(), 'empty') })

class NotesController extends WSGIController {
  static tools = ['create', 'fill', 'check', 'require']
  static args = {
    create: { note: body(v.optional(Note)) },
    fill: { note: body(v.optional(Filled, {})) },
    check: { note: body(z.object({ text: z.string() }).optional()) },
    require: { note: body(Note) },
  }
  static results = { create: v.any(), fill: v.any(), check: v.any(), require: v.any() }
  create(note?: v.InferOutput<typeof Note>) {
    return { text: note?.text ?? 'nothing' }
  }
  fill(note: v.InferOutput<typeof Filled>) {
    return { text: note.text }
  }
  check(note?: { text: string }) {
    return { text: note?.text ?? 'nothing' }
  }
  require(note: v.InferOutput<typeof Note>) {
    return { text: note.text }
  }
}

const ACTIONS = [
  ['create', 'nothing'],
  ['fill', 'empty'],
  ['check', 'nothing'],
] as const

const client = new TestApp(
  new FrameworkApp({
    map: ['create', 'fill', 'check', 'require'].reduce(
      (map, action) => map.connect(`/${action}`, { controller: 'notes', action, conditions: { method: 'POST' } }),
      new Mapper(),
    ),
    controllers: { notes: NotesController },
    openapi: { title: 'Notes', version: '1' },
    mcp: {},
  }),
)

async function callTool(name: string, args: object): Promise<string> {
  const params = { name: `notes_${name}`, arguments: args }
  return (await client.postJson('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text
}

interface Document {
  paths: Record<string, { post: { requestBody: { required: boolean } } }>
}

const isRequired = async (action: string) =>
  (await client.get('/openapi.json')).json<Document>().paths[`/${action}`]?.post.requestBody.required

for (const [action, nothing] of ACTIONS) {
  describe(`the optional body of ${action}()`, () => {
    it('may be left out of a request', async () => {
      assert.deepEqual((await client.post(`/${action}`)).json(), { text: nothing })
    })

    it('is taken if it is sent', async () => {
      assert.deepEqual((await client.postJson(`/${action}`, { text: 'tea' })).json(), { text: 'tea' })
      assert.deepEqual((await client.postJson(`/${action}`, { text: 1 })).status, 400)
    })

    it('is not required in the document', async () => {
      assert.equal(await isRequired(action), false)
    })

    it('may be left out of a call of the tool', async () => {
      assert.match(await callTool(action, {}), new RegExp(`"structuredContent":{"text":"${nothing}"}`))
      assert.match(await callTool(action, { note: { text: 'tea' } }), /tea/)
      assert.match(await callTool(action, { note: { text: 1 } }), /"isError":true/)
    })
  })
}

describe('a body that is required', () => {
  it('may not be left out', async () => {
    assert.equal((await client.post('/require', undefined, { headers: { Accept: 'application/json' } })).status, 400)
    assert.equal(await isRequired('require'), true)
    assert.match(await callTool('require', {}), /"isError":true/)
  })
})
