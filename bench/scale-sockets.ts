/** Measures WebSockets: answers to their messages, and one message to all. */
import { measureCrowd } from './crowd.ts'
import type { Peer } from './peers.ts'
import type { MeasureSection } from './section.ts'
import { ratioText } from './statistics.ts'

const SOCKETS = 5000

function server(name: string, title: string, ...command: string[]): Peer {
  return { name: `sockets-${name}`, title, runtime: 'node', server: command, packages: [] }
}

const servers: readonly Peer[] = [
  server('node', 'bare node:http and crossws', 'sockets.mjs', 'node'),
  server('propylon', 'Propylon', 'sockets-propylon.ts'),
  server('h3', 'h3', 'sockets.mjs', 'h3'),
]

const REQUEST =
  'GET /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

/** Returns a frame with a short text, masked as clients have to do, as Latin-1. */
function frame(text: string): string {
  const mask = [0x12, 0x34, 0x56, 0x78]
  const masked = Buffer.from(text).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return Buffer.from([0x81, 0x80 + masked.length, ...mask, ...masked]).toString('latin1')
}

const own = '{"to":"me","text":"Darjeeling, first flush"}'
const forAll = '{"to":"all","text":"Darjeeling, first flush"}'

export const measureScaleSockets: MeasureSection = async ({ quick, log }) => {
  const findings = await measureCrowd(
    {
      peers: servers,
      connections: SOCKETS,
      request: REQUEST,
      status: 101,
      senderRequest: REQUEST,
      exercises: [
        { kind: 'echo', data: frame(own), expected: own, times: 1 },
        { kind: 'broadcast', data: frame(forAll), expected: forAll, times: 2 },
      ],
      rounds: quick ? 20 : 60,
    },
    log,
  )
  return {
    title: `${SOCKETS.toLocaleString('en')} WebSockets`,
    text: 'All servers use crossws with the same hooks. Each socket sends a message and receives it again (echo), or one message is published to a topic that all have subscribed (broadcast). CPU is the time of the server per message that one socket receives, and the ratios are relative to the bare server. The memory is resident memory after garbage collection, and heap and buffers alone.',
    head: ['server', 'KiB for a socket', 'heap KiB', 'echo CPU µs', 'ratio', 'broadcast CPU µs', 'ratio'],
    rows: findings.map(({ peer, memory, costs }) => [
      peer.title,
      memory.resident.toFixed(1),
      memory.heap.toFixed(1),
      ...costs.flatMap(({ cpu, ratio }) => [cpu.toFixed(2), ratioText(ratio)]),
    ]),
  }
}
