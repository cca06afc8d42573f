/** Measures the ways to call one function: by a JSON action, JSON-RPC, XML-RPC, and as a tool of MCP. */
import assert from 'node:assert/strict'
import { quiet, SERVER_CORE, Subject } from './measure.ts'
import type { Peer } from './peers.ts'
import type { MeasureSection } from './section.ts'
import { ratioText, ratioWithInterval } from './statistics.ts'
import { users } from './works/data.ts'
import type { Answer, Work } from './works/work.ts'

const server: Peer = {
  name: 'calls',
  title: 'Propylon',
  runtime: 'node',
  server: ['calls.ts'],
  packages: [],
}

/** The user that each call returns. */
const [user] = users.slice(6)
const id = user?.name ?? ''

function way(title: string, request: Pick<Work, 'method' | 'path' | 'headers' | 'body'>, check: Check): Work {
  const name = `calls-${request.path}`
  return { ...request, name, title, status: 200, connections: 32, rate: 5000, check }
}

type Check = (answer: Answer) => void

const json = { 'Content-Type': 'application/json' }

const ways: readonly [Work, ...Work[]] = [
  way('GET of a JSON action', { method: 'GET', path: `/users/${id}` }, ({ body }) =>
    assert.deepEqual(JSON.parse(body), user),
  ),
  way(
    'JSON-RPC call',
    {
      method: 'POST',
      path: '/json',
      headers: json,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'show', params: [id] }),
    },
    ({ body }) => assert.deepEqual(JSON.parse(body).result, user),
  ),
  way(
    'XML-RPC call',
    {
      method: 'POST',
      path: '/xml',
      headers: { 'Content-Type': 'text/xml' },
      body: `<?xml version="1.0"?><methodCall><methodName>show</methodName><params><param><value><string>${id}</string></value></param></params></methodCall>`,
    },
    ({ body }) => assert.match(body, new RegExp(`<name>name</name><value>(?:<string>)?${id}<`)),
  ),
  way(
    '`tools/call` of MCP, of the action',
    {
      method: 'POST',
      path: '/mcp',
      headers: { ...json, Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'users_show', arguments: { id } },
      }),
    },
    ({ body }) => assert.deepEqual(JSON.parse(body).result.structuredContent, user),
  ),
]

export const measureCalls: MeasureSection = async ({ load, quick, log }) => {
  const rounds = quick ? 40 : 120
  const subjects: Subject[] = []
  const costs: number[][] = ways.map(() => [])
  try {
    for (const work of ways) {
      log(`  ${work.title}`)
      const subject = await Subject.start(work, server, SERVER_CORE, load)
      subjects.push(subject)
      await subject.sample(quick ? 1.5 : 2.5)
    }
    for (let round = 0; round < rounds; round++) {
      for (let step = 0; step < ways.length; step++) {
        const index = (round + step) % ways.length
        const sample = await subjects[index]?.sample(0.05)
        if (sample !== undefined) costs[index]?.push(sample.cpu)
      }
    }
  } finally {
    for (const subject of subjects) subject.stop()
  }
  const [action = []] = costs
  return {
    title: 'Ways to call one function',
    text: 'CPU time of a call that returns one user, on Node, and its ratio to the GET of a JSON action that declares its argument and its result. The methods of the two services return the same object. A tool calls the action through the application.',
    head: ['call', 'CPU µs', 'ratio'],
    rows: ways.map(({ title }, index) => {
      const own = costs[index] ?? []
      return [title, quiet(own).toFixed(1), index === 0 ? '1' : ratioText(ratioWithInterval(own, action))]
    }),
  }
}
