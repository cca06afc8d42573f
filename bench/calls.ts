/** Measures the ways to call one function: by a JSON action, JSON-RPC, XML-RPC, and as a tool of MCP. */
import assert from 'node:assert/strict'
import type { MeasureSection } from './section.ts'
import { measureWays, type Way } from './ways.ts'
import { users } from './works/data.ts'

/** The user that each call returns. */
const [user] = users.slice(6)
const id = user?.name ?? ''

const json = { 'Content-Type': 'application/json' }

const ways: readonly Way[] = [
  {
    title: 'GET of a JSON action',
    method: 'GET',
    path: `/users/${id}`,
    check: ({ body }) => assert.deepEqual(JSON.parse(body), user),
  },
  {
    title: 'JSON-RPC call',
    method: 'POST',
    path: '/json',
    headers: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'show', params: [id] }),
    check: ({ body }) => assert.deepEqual(JSON.parse(body).result, user),
  },
  {
    title: 'XML-RPC call',
    method: 'POST',
    path: '/xml',
    headers: { 'Content-Type': 'text/xml' },
    body: `<?xml version="1.0"?><methodCall><methodName>show</methodName><params><param><value><string>${id}</string></value></param></params></methodCall>`,
    check: ({ body }) => assert.match(body, new RegExp(`<name>name</name><value>(?:<string>)?${id}<`)),
  },
  {
    title: '`tools/call` of MCP, of the action',
    method: 'POST',
    path: '/mcp',
    headers: { ...json, Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'users_show', arguments: { id } },
    }),
    check: ({ body }) => assert.deepEqual(JSON.parse(body).result.structuredContent, user),
  },
]

export const measureCalls: MeasureSection = async (context) => ({
  title: 'Ways to call one function',
  text: 'CPU time of a call that returns one user, on Node, and its ratio to the GET of a JSON action that declares its argument and its result. The methods of the two services return the same object. A tool calls the action through the application.',
  head: ['call', 'CPU µs', 'ratio'],
  rows: await measureWays('calls.ts', ways, context),
})
