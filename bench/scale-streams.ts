/** Measures event streams that receive the messages of one channel. */
import { measureCrowd } from './crowd.ts'
import type { Peer } from './peers.ts'
import type { MeasureSection } from './section.ts'
import { ratioText } from './statistics.ts'
import { news } from './works/data.ts'

const STREAMS = 1000

function server(name: string, title: string, ...command: string[]): Peer {
  return { name: `streams-${name}`, title, runtime: 'node', server: command, packages: [] }
}

const servers: readonly Peer[] = [
  server('node', 'bare node:http', 'streams.mjs', 'node'),
  server('propylon', 'Propylon', 'streams-propylon.ts'),
  server('fastify', 'Fastify, `reply.raw`', 'streams.mjs', 'fastify'),
  server('express', 'Express, `res.write()`', 'streams.mjs', 'express'),
  server('hono', 'Hono, `streamSSE()`', 'streams.mjs', 'hono'),
]

export const measureScaleStreams: MeasureSection = async ({ quick, log }) => {
  const findings = await measureCrowd(
    {
      peers: servers,
      connections: STREAMS,
      request: 'GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
      status: 200,
      exercises: [
        {
          kind: 'broadcast',
          data: 'POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n',
          expected: `\ndata: ${JSON.stringify(news)}`,
          times: 5,
        },
      ],
      rounds: quick ? 20 : 60,
    },
    log,
  )
  return {
    title: `${STREAMS.toLocaleString('en')} event streams`,
    text: 'Each stream receives each event, which a POST publishes: in Propylon by `channel()` and `eventStream()`. CPU is the time of the server per event that one stream receives, and the ratio is relative to the bare server. That one, Fastify and Express write the same text to each response of a list, without the things that a channel does: it keeps events for clients that come back, sends comments while nothing happens, and does not write to a client before it has read. The memory is resident memory after garbage collection, and heap and buffers alone.',
    head: ['server', 'KiB for a stream', 'heap KiB', 'CPU µs', 'ratio'],
    rows: findings.map(({ peer, memory, costs }) => [
      peer.title,
      memory.resident.toFixed(1),
      memory.heap.toFixed(1),
      ...costs.flatMap(({ cpu, ratio }) => [cpu.toFixed(1), ratioText(ratio)]),
    ]),
  }
}
