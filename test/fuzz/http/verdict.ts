/** Compares the responses of the echo application with the requests that a client has sent. */
import assert from 'node:assert/strict'
import { type Facts, PEEKED, sumOf } from './echo.ts'
import { contentOf, type RequestSpec } from './request-grammar.ts'
import { fieldOf, type ParsedRequest, type ParsedRequests, type RequestHead } from './request-parser.ts'
import { type ParsedResponse, parseResponses } from './response-parser.ts'
import type { Heard } from './talk.ts'

/** Requires that each well-formed request has exactly the response that belongs to it, in order. */
export function assertExact(specs: readonly RequestSpec[], numbers: readonly string[], heard: Heard): void {
  assert.equal(heard.error, undefined, `the connection broke: ${heard.text.slice(0, 500)}`)
  const methods = specs.map(({ method }) => method)
  const { responses, interim, rest } = parseResponses(heard.text, methods, true)
  assert.equal(rest, '', 'a response is not complete')
  assert.equal(responses.length, specs.length, `${responses.length} responses to ${specs.length} requests`)
  const asking = specs.filter(({ expects }) => expects).length
  assert.ok(interim.length <= asking, 'more 100 Continue than requests that wait for one')
  for (const [index, spec] of specs.entries()) {
    const response = responses[index]
    assert.ok(response)
    assert.equal(echoOf(response), numbers[index], 'the response belongs to another request')
    assert.equal(response.status, statusOf(spec))
    assert.equal(response.closes, spec.closes, 'the connection ends too early or too late')
    if (response.status !== 200 || spec.method === 'HEAD') continue
    const number = numbers[index] ?? ''
    assert.deepEqual(factsOf(response), {
      query: number,
      header: number,
      method: spec.method,
      body: summary(spec.action, contentOf(spec.body)),
    })
  }
}

function statusOf({ method, action }: RequestSpec): number {
  if (method === 'OPTIONS') return 204
  return action === 'nothing' ? 404 : 200
}

/**
 * Requires of the responses to any bytes at all that they are well-formed and none is a 500; that each complete request, up to the
 * first malformed one, is answered by its own response, unless the server has closed the connection before; and that a
 * malformed request is refused and is the last one.
 */
export function assertSound(sent: ParsedRequests, heard: Heard, isCut: boolean): void {
  const { requests, rest, head } = sent
  const heads: RequestHead[] = head === undefined ? [...requests] : [...requests, head]
  const { responses, rest: unfinished } = parseResponses(
    heard.text,
    heads.map(({ method }) => method),
    true,
  )
  for (const { status } of responses) {
    assert.ok(!UNEXPECTED.has(status), `the status is ${status}: ${heard.text.slice(0, 1000)}`)
  }
  let index = 0
  for (const request of requests) {
    const response = responses[index]
    if (response === undefined) break
    assertBelongs(request, response)
    index += 1
    if (response.closes) break
  }
  const further = responses.slice(index)
  if (responses[index - 1]?.closes === true) assert.deepEqual(further, [])
  else if (index < requests.length) {
    const isExcused = isCut || heard.error !== undefined || unfinished !== ''
    assert.ok(isExcused, `no response to the request ${index + 1} of ${requests.length}`)
  }
  assertRefusal(further, rest, head)
  if (unfinished !== '') {
    const isExcused = isCut || heard.error !== undefined || rest !== 'nothing'
    assert.ok(isExcused, `a response is not complete: ${unfinished.slice(0, 500)}`)
  }
}

/** Statuses that are mistakes of the server. 501 is one of the client. */
const UNEXPECTED: ReadonlySet<number> = new Set([500, 502, 503, 504])

function assertBelongs(request: ParsedRequest, response: ParsedResponse): void {
  const echo = echoOf(response)
  if (echo === undefined) {
    assert.ok(!isServable(request), `a well-formed request got ${response.status}: ${request.target}`)
    assert.ok(response.status >= 400, `a response of ${response.status} has no number`)
    // node:http answers an Expect that it does not know, and reads on behind the body.
    assert.ok(
      response.closes || response.status === 417,
      `the connection goes on after a refusal with ${response.status}`,
    )
    return
  }
  assert.equal(echo, fieldOf(request, 'x-number') ?? '', 'the response belongs to another request')
  if (response.status !== 200 || request.method === 'HEAD') return
  const facts = factsOf(response)
  assert.equal(facts.method, request.method)
  assert.equal(facts.header, fieldOf(request, 'x-number') ?? null)
  const query = request.target.indexOf('?')
  const fields = new URLSearchParams(query < 0 ? '' : request.target.slice(query))
  assert.equal(facts.query, fields.get('n'), request.target)
  const [, action = ''] = /\/(\w+)(?:\?|$)/.exec(request.target) ?? []
  if (action !== '') assert.deepEqual(facts.body, summary(action, request.body))
}

/** Requires that what follows the complete requests is refused, once. */
function assertRefusal(
  further: readonly ParsedResponse[],
  rest: ParsedRequests['rest'],
  head: RequestHead | undefined,
): void {
  const waiting = [...further]
  const [first] = waiting
  // An application may respond before the body has arrived.
  if (head !== undefined && first !== undefined && echoOf(first) !== undefined) {
    assert.equal(echoOf(first), fieldOf(head, 'x-number') ?? '', 'the response belongs to another request')
    // Without a length, only the application can tell whether its response is complete.
    const hasLength = first.fields.has('content-length') || first.fields.has('transfer-encoding')
    if (first.status === 200 && head.method !== 'HEAD' && hasLength) {
      const { body } = factsOf(first)
      assert.ok(body === null || body[0] <= PEEKED, 'an incomplete body was taken for a complete one')
    }
    waiting.shift()
    if (first.closes) assert.deepEqual(waiting, [])
  }
  if (rest === 'discarded') return
  const [refusal, ...more] = waiting
  assert.deepEqual(more, [], 'responses without a request')
  if (refusal === undefined) return
  assert.notEqual(rest, 'nothing', `a response without a request: ${JSON.stringify(refusal)}`)
  assert.ok(refusal.status >= 400, `a malformed request has the status ${refusal.status}`)
  assert.ok(refusal.closes, 'the connection goes on after a malformed request')
}

/** Returns true if the application, and not the server alone, must answer a complete request. */
function isServable(request: RequestHead): boolean {
  const { target, fields } = request
  const length = fields.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length)
  return (
    /^[a-z.]+$/.test(fieldOf(request, 'host') ?? '') &&
    /^\/[\w/]*(?:\?[\w=&]*)?$/.test(target) &&
    (fieldOf(request, 'expect') ?? '100-continue') === '100-continue' &&
    length < 8000
  )
}

function summary(action: string, content: string): Facts['body'] {
  const bytes = Buffer.from(content, 'latin1')
  if (action === 'peek') return sumOf(bytes.subarray(0, PEEKED))
  return action === 'read' || action === 'stream' ? sumOf(bytes) : null
}

function echoOf(response: ParsedResponse): string | undefined {
  return response.fields.get('x-echo')?.join(', ')
}

function factsOf(response: ParsedResponse): Facts {
  return JSON.parse(Buffer.from(response.body, 'latin1').toString())
}
