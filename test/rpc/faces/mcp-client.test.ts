/** The official client of the Model Context Protocol, over a socket. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { type ServerHandle, serve } from 'propylon/node'
import { stockApp } from './stock.ts'

let server: ServerHandle
let client: Client

function transport(options?: StreamableHTTPClientTransportOptions): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${server.url}/stock/mcp`), options)
}

before(async () => {
  server = await serve(stockApp())
  client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport())
})

after(async () => {
  await client.close()
  await server.close()
})

describe('the official MCP client', () => {
  it('connects', async () => {
    assert.equal(client.getServerVersion()?.name, 'Stock')
    assert.deepEqual(client.getServerCapabilities(), { tools: {} })
    assert.equal(client.getInstructions(), 'Articles and their numbers.')
    assert.deepEqual(await client.ping(), {})
  })

  it('lists the tools', async () => {
    const { tools, nextCursor } = await client.listTools()
    assert.equal(nextCursor, undefined)
    const find = tools.find(({ name }) => name === 'stock_find')
    assert.equal(find?.title, 'stock.find')
    assert.deepEqual(find?.inputSchema.required, ['query', 'limit'])
  })

  it('calls tools', async () => {
    const found = await client.callTool({ name: 'stock_find', arguments: { query: 'lan', limit: 5 } })
    assert.deepEqual(found.content, [{ type: 'text', text: '["lantern"]' }])
    const ordered = { article: { name: 'lamp', price: 3.5 }, count: 2 }
    // The client validates the result against the output schema.
    const { structuredContent, isError } = await client.callTool({
      name: 'stock_order',
      arguments: { ordered },
    })
    assert.deepEqual(structuredContent, ordered)
    assert.equal(isError, undefined)
  })

  it('receives failures as results', async () => {
    const failures: [name: string, args: Record<string, unknown>, text: RegExp][] = [
      ['page', {}, /There is no such page\.$/],
      ['stock_count', { name: 'table' }, /^No such article\.$/],
      ['stock_find', { query: 'lan' }, /limit/],
      ['stock_order', { ordered: { article: { name: 'lamp' }, count: 0 } }, /count/],
    ]
    for (const [name, args, text] of failures) {
      const { content, isError } = await client.callTool({ name, arguments: args })
      assert.equal(isError, true)
      const [first] = content as { text: string }[]
      assert.match(first?.text ?? '', text)
    }
  })

  it('receives an error for an unknown tool', async () => {
    await assert.rejects(client.callTool({ name: 'nope' }), (error) => {
      assert.ok(error instanceof McpError)
      assert.equal(error.code, -32602)
      assert.match(error.message, /Unknown tool: nope/)
      return true
    })
  })

  it('receives an error for a method that the server does not implement', async () => {
    await assert.rejects(client.listResources(), /Method not found|does not support/)
  })

  it('is refused with 401', async () => {
    const other = new Client({ name: 'test', version: '1.0.0' })
    const headers = { Authorization: 'Bearer wrong' }
    await assert.rejects(other.connect(transport({ requestInit: { headers } })), { code: 401 })
    await other.close()
  })

  it('cancels a call that takes too long', async () => {
    const signal = AbortSignal.abort(new Error('too slow'))
    await assert.rejects(client.callTool({ name: 'nothing' }, undefined, { signal }), /too slow/)
    assert.deepEqual(await client.ping(), {})
  })
})
