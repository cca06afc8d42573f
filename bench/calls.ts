/** Measures the ways to call one function: by a JSON action, JSON-RPC, XML-RPC, and as a tool of MCP. */
import assert from 'node:assert/strict'
import { quiet, SERVER_CORE, Subject } from './measure.ts'
import type { Peer } from './peers.ts'
import type { MeasureContext, MeasureSection } from './section.ts'
import { ratioText, ratioWithInterval } from './statistics.ts'
import { users } from './works/data.ts'
import type { Answer, Work } from './works/work.ts'

/** A request, and how to check its response. */
interface Way extends Pick<Work, 'title' | 'method' | 'path' | 'headers' | 'body'> {
  check(answer: Answer): void
}

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
  rows: await measureWays(context),
})

const PEER: Peer = { name: 'calls', title: 'Propylon', runtime: 'node', server: ['calls.ts'], packages: [] }

/** Measures the ways in turn, each with a process of the server for itself. The ratio of a way refers to the first. */
async function measureWays({ load, quick, log }: MeasureContext): Promise<string[][]> {
  const measured: { readonly title: string; readonly subject: Subject; readonly costs: number[] }[] = []
  try {
    for (const way of ways) {
      log(`  ${way.title}`)
      const work: Work = { name: way.title, status: 200, connections: 32, rate: 5000, ...way }
      const subject = await Subject.start(work, PEER, SERVER_CORE, load)
      measured.push({ title: way.title, subject, costs: [] })
      await subject.sample(quick ? 1.5 : 2.5)
    }
    for (let round = 0; round < (quick ? 40 : 120); round++) {
      const first = round % measured.length
      for (const { subject, costs } of [...measured.slice(first), ...measured.slice(0, first)]) {
        costs.push((await subject.sample(0.05)).cpu)
      }
    }
  } finally {
    for (const { subject } of measured) subject.stop()
  }
  const base = measured[0]?.costs ?? []
  return measured.map(({ title, costs }) => [title, quiet(costs).toFixed(1), ratioText(ratioWithInterval(costs, base))])
}
