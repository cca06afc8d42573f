/** Requests over sockets: well-formed pipelines, spoilt ones, and ones that stop anywhere. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type ServerHandle, serve } from 'propylon/node'
import { echoApp } from '../http/echo.ts'
import { mutate, mutation, tokens } from '../http/mutations.ts'
import { bytesOf, nextNumber, pipeline, type RequestSpec } from '../http/request-grammar.ts'
import { parseRequests } from '../http/request-parser.ts'
import { parseResponses } from '../http/response-parser.ts'
import { cut, talk } from '../http/talk.ts'
import { assertExact, assertSound } from '../http/verdict.ts'
import { property, type Subject } from '../property.ts'

const { app, errors } = echoApp()
let server: ServerHandle | undefined

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })

/** Requires that the server has logged no error, and still answers. */
async function assertSane(port: number): Promise<void> {
  const [error] = errors.splice(0)
  assert.equal(error, undefined)
  const number = nextNumber()
  const bytes = `GET /later?n=${number} HTTP/1.1\r\nHost: x\r\nX-Number: ${number}\r\nConnection: close\r\n\r\n`
  const { text } = await talk({ port, pieces: [bytes] })
  assert.ok(text.includes(`X-Echo: ${number}\r\n`), `the server does not answer any more: ${text}`)
}

function port(): number {
  assert.ok(server)
  return server.port
}

/** Sends bytes until all complete requests in them are answered, then closes one side or cuts the connection. */
async function sendAnything(text: string, pieces: readonly string[], cuts: boolean, isHasty: boolean): Promise<void> {
  const sent = parseRequests(text)
  const methods = sent.requests.map(({ method }) => method)
  const isDone = (heard: string) =>
    isHasty || parseResponses(heard, [...methods, sent.head?.method ?? 'GET'], false).responses.length >= methods.length
  const heard = await talk({ port: port(), pieces, cuts, isDone })
  assertSound(sent, heard, cuts || isHasty)
}

const spoilt = fc.record({
  requests: pipeline,
  mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }),
  places,
  cuts: fc.boolean(),
  isHasty: fc.boolean(),
})

export const requests: Subject = {
  name: 'requests',
  async open() {
    server = await serve(app, { signals: false, errors: { write() {}, flush() {} } })
  },
  async close() {
    await server?.close()
  },
  properties: [
    property(
      'well-formed requests are answered one by one, each by its own response',
      fc.array(fc.record({ requests: pipeline, places }), { minLength: 1, maxLength: 4 }),
      async (connections) => {
        await Promise.all(
          connections.map(async ({ requests, places }) => {
            const numbers = requests.map(nextNumber)
            const text = joined(requests, numbers)
            assertExact(requests, numbers, await talk({ port: port(), pieces: cut(text, places) }))
          }),
        )
        await assertSane(port())
      },
    ),
    property(
      'spoilt requests are refused, and those before them are answered',
      fc.array(spoilt, { minLength: 1, maxLength: 3 }),
      async (connections) => {
        await Promise.all(
          connections.map(async ({ requests, mutations, places, cuts, isHasty }) => {
            const text = mutate(joined(requests, requests.map(nextNumber)), mutations)
            await sendAnything(text, cut(text, places), cuts, isHasty)
          }),
        )
        await assertSane(port())
      },
    ),
    property(
      'requests that stop anywhere get a response or a closed connection',
      fc.record({
        requests: pipeline,
        end: fc.double({ min: 0, max: 1, noNaN: true }),
        places,
        cuts: fc.boolean(),
        isHasty: fc.boolean(),
      }),
      async ({ requests, end, places, cuts, isHasty }) => {
        const whole = joined(requests, requests.map(nextNumber))
        const text = whole.slice(0, Math.floor(end * whole.length))
        await sendAnything(text, cut(text, places), cuts, isHasty)
        await assertSane(port())
      },
    ),
    property(
      'any tokens get well-formed responses or a closed connection',
      fc.record({ text: tokens, places }),
      async ({ text, places }) => {
        await sendAnything(text, cut(text, places), false, false)
        await assertSane(port())
      },
    ),
  ],
}

function joined(requests: readonly RequestSpec[], numbers: readonly string[]): string {
  return requests.map((request, index) => bytesOf(request, numbers[index] ?? '')).join('')
}
