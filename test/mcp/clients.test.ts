/** Official clients of both generations, and the command line of the inspector, call actions over a socket. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type ServerHandle, serve } from 'propylon/node'
import { libraryApp } from '../app/mcp/library.ts'
import { installed } from '../packages/packages.ts'
import { type Client, type ClientPackage, clientPackage } from './packages.ts'

let server: ServerHandle
let origin: string
let packages: ClientPackage

before(async () => {
  server = await serve(libraryApp())
  origin = `http://localhost:${server.port}`
  packages = await clientPackage()
})

after(() => server.close())

const MODES = ['legacy', 'auto', { pin: '2026-07-28' }] as const

describe('the client 2.4', () => {
  for (const mode of MODES) {
    describe(`in the mode ${JSON.stringify(mode)}`, () => {
      let client: Client
      before(async () => {
        client = new packages.Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
        await client.connect(new packages.StreamableHTTPClientTransport(new URL(`${origin}/mcp`)))
      })
      after(() => client.close())

      it('lists and calls tools', async () => {
        assert.equal(client.getServerVersion()?.name, 'library')
        const { tools } = await client.listTools()
        assert.equal(tools.length, 20)
        // The client validates the result against the output schema.
        const { structuredContent } = await client.callTool({ name: 'books_show', arguments: { id: 7 } })
        assert.deepEqual(structuredContent, { id: 7, title: 'Emma' })
        const listed = await client.callTool({ name: 'books_index', arguments: {} })
        assert.equal(listed.isError, undefined)
        const created = { name: 'books_create', arguments: { book: { title: 'Persuasion' } } }
        assert.deepEqual((await client.callTool(created)).structuredContent, { id: 9, title: 'Persuasion' })
        const { isError } = await client.callTool({
          name: 'books_create',
          arguments: { book: { title: '' } },
        })
        assert.equal(isError, true)
      })

      it('reads resources and prompts', async () => {
        const { resources } = await client.listResources()
        assert.ok(resources.some(({ uri }) => uri === `${origin}/books`))
        const uri = `${origin}/books/7`
        const { contents } = await client.readResource({ uri })
        assert.deepEqual(contents, [{ uri, mimeType: 'application/json', text: '{"id":7,"title":"Emma"}' }])
        await assert.rejects(client.readResource({ uri: `${origin}/nothing` }), { code: -32602 })
        const { messages } = await client.getPrompt({ name: 'books_review', arguments: { id: '7' } })
        assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Review Emma (short).' } }])
      })

      it('receives the progress of a call', async () => {
        const seen: unknown[] = []
        const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
        const { content } = await client.callTool({ name: 'books_count' }, { onprogress })
        assert.deepEqual(content, [{ type: 'text', text: 'first\nlast\nline' }])
        assert.deepEqual(seen, [1, 2])
      })
    })
  }
})

describe('the client 1.32', () => {
  const client = new FormerClient({ name: 'test', version: '1.0.0' })
  before(() => client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`))))
  after(() => client.close())

  it('lists and calls tools, and reads resources and prompts', async () => {
    const { tools } = await client.listTools()
    assert.equal(tools.length, 20)
    const { structuredContent } = await client.callTool({ name: 'books_show', arguments: { id: 7 } })
    assert.deepEqual(structuredContent, { id: 7, title: 'Emma' })
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === `${origin}/books/{id}`))
    const { contents } = await client.readResource({ uri: `${origin}/books/7` })
    assert.equal(contents.length, 1)
    const { messages } = await client.getPrompt({ name: 'books_plain', arguments: { subject: 'x' } })
    assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'About x.' } }])
  })

  it('receives the progress of a call', async () => {
    const seen: number[] = []
    await client.callTool({ name: 'books_count' }, undefined, {
      onprogress: ({ progress }) => seen.push(progress),
    })
    assert.deepEqual(seen, [1, 2])
  })
})

describe('the command line of the inspector', () => {
  const run = promisify(execFile)
  async function inspect(...words: string[]): Promise<unknown> {
    const command = installed('mcp', '.bin/mcp-inspector')
    const { stdout } = await run(command, ['--cli', `${origin}/mcp`, '--transport', 'http', ...words])
    return JSON.parse(stdout)
  }

  it('lists tools', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: object[] }
    assert.equal(tools.length, 20)
  })

  it('calls a tool', async () => {
    const words = ['--method', 'tools/call', '--tool-name', 'books_show', '--tool-arg', 'id=7']
    const { structuredContent } = (await inspect(...words)) as { structuredContent: unknown }
    assert.deepEqual(structuredContent, { id: 7, title: 'Emma' })
  })
})
