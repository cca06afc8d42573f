import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import {
  type Environ,
  FrameworkApp,
  JSONRPCController,
  type LogDetails,
  type Logger,
  Mapper,
  WSGIController,
} from 'propylon'
import { requestLog } from 'propylon/middleware'
import { TestApp } from 'propylon/testing'
import { createEnviron } from 'propylon/wsgi'
import winston from 'winston'

const boom = new TypeError('boom')

class FailController extends WSGIController {
  index() {
    throw boom
  }
}

class CallsController extends JSONRPCController {
  fail() {
    throw boom
  }
}

type Hook = (error: unknown, environ: Environ | undefined) => unknown

/** Sends a request that fails, and returns what the logger and the hook receive. */
async function failing(logger: Logger, onError?: Hook): Promise<void> {
  const map = new Mapper()
    .connect('/fail', { controller: 'fail', action: 'index' })
    .connect('/calls', { controller: 'calls', action: 'index' })
  const app = new FrameworkApp({
    map,
    controllers: { fail: FailController, calls: CallsController },
    logger,
    middleware: [requestLog({ write() {} })],
    ...(onError === undefined ? {} : { onError }),
  })
  const headers = { 'X-Request-Id': 'id-1' }
  const client = new TestApp(app, { errors: 'page', headers })
  await client.get('/fail?token=secret')
  await client.postJson('/calls', { jsonrpc: '2.0', id: 1, method: 'fail' })
}

const silent: Logger = { info() {}, warn() {}, error() {} }

describe('a logger', () => {
  it('receives the stack in the message, and the error and the request in the details', async () => {
    const calls: [string, LogDetails | undefined][] = []
    await failing({ ...silent, error: (...call) => calls.push([call[0], call[1]]) })
    const [[message, details] = []] = calls
    assert.match(message ?? '', /^GET \/fail\nTypeError: boom\n {4}at /)
    assert.deepEqual(details, { err: boom, method: 'GET', path: '/fail', requestId: 'id-1' })
    assert.equal(details?.err, boom)
  })

  it('of pino writes the error and the id of the request', async () => {
    const lines: string[] = []
    await failing(pino({}, { write: (line: string) => lines.push(line) }))
    const { msg, err, requestId, path } = JSON.parse(lines[0] ?? '')
    assert.deepEqual(
      [msg, err.type, err.message, requestId, path],
      ['GET /fail: TypeError: boom', 'TypeError', 'boom', 'id-1', '/fail'],
    )
    assert.match(err.stack, /logger\.test\.ts/)
    assert.match(JSON.parse(lines[1] ?? '').msg, /^POST \/calls \("fail"\): TypeError: boom/)
  })

  it('of winston receives the error and the id of the request', async () => {
    const infos: winston.Logform.TransformableInfo[] = []
    const keep = winston.format((info) => {
      infos.push({ ...info })
      return info
    })
    const transports = [new winston.transports.Console({ silent: true })]
    await failing(winston.createLogger({ format: keep(), transports }))
    const [info] = infos
    assert.deepEqual([info?.err, info?.requestId], [boom, 'id-1'])
    assert.match(String(info?.message), /^GET \/fail\nTypeError: boom/)
  })

  it('that is the console receives one argument', async (context) => {
    const error = context.mock.method(console, 'error', () => {})
    await failing(console)
    assert.deepEqual(
      error.mock.calls.map(({ arguments: values }) => values.length),
      [1, 1],
    )
  })
})

describe('onError', () => {
  it('receives unexpected errors of actions and remote procedures with their environ', async () => {
    const calls: unknown[] = []
    await failing(silent, (error, environ) => calls.push([error, environ?.PATH_INFO, environ?.['propylon.request_id']]))
    assert.deepEqual(calls, [
      [boom, '/fail', 'id-1'],
      [boom, '/calls', 'id-1'],
    ])
  })

  for (const [title, hook] of [
    [
      'throws',
      () => {
        throw new Error('no network')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no network')
      },
    ],
  ] as [string, Hook][]) {
    it(`is logged if it ${title}`, async () => {
      const messages: string[] = []
      const errors: unknown[] = []
      const error: Logger['error'] = (message, details) => {
        messages.push(message)
        errors.push(details?.err)
      }
      await failing({ ...silent, error }, hook)
      assert.match(messages.join('\n'), /onError failed\nError: no network/)
      assert.ok(errors.some((each) => each instanceof Error && each.message === 'no network'))
    })
  }
})

describe('the console', () => {
  it('escapes what a message contains', (context) => {
    const lines: string[] = []
    for (const level of ['info', 'warn', 'error'] as const)
      context.mock.method(console, level, (line: string) => lines.push(line))
    const { logger } = new FrameworkApp({ map: new Mapper(), controllers: {} })
    logger.info('404 GET /a\u001b[2J 1.0 ms')
    logger.warn('unused')
    const err = Object.assign(new TypeError('boom'), {
      stack: 'TypeError: boom\n    at fail (file:///fail.ts:1:2)',
    })
    logger.error(`GET /fail\n${err.stack}`, { err })
    assert.deepEqual(lines, [
      '404 GET /a\\u001b[2J 1.0 ms',
      'unused',
      'GET /fail\nTypeError: boom\n    at fail (file:///fail.ts:1:2)',
    ])
  })

  it('has no line that begins with the text of a request', (context) => {
    const lines: string[] = []
    for (const level of ['info', 'warn', 'error'] as const)
      context.mock.method(console, level, (text: string) => lines.push(...text.split('\n')))
    const forged = 'x\nGET /admin\r\nGET /admin\n\nGET /admin\n'
    const { logger } = new FrameworkApp({ map: new Mapper(), controllers: {} })
    for (const level of ['info', 'warn', 'error'] as const) logger[level](`user ${forged}`, { err: boom })
    createEnviron()['wsgi.errors'].write(`user ${forged}`)
    assert.deepEqual(new Set(lines), new Set(['user x', '  GET /admin', '']))
  })

  it('has no line that begins with the message of an error', async (context) => {
    const lines: string[] = []
    context.mock.method(console, 'error', (text: string) => lines.push(...text.split('\n')))
    class FailController extends WSGIController {
      index() {
        const text = this.request.query.get('v')
        throw new Error(`user ${text}`, { cause: text })
      }
    }
    const app = new FrameworkApp({
      map: new Mapper().connect('/', { controller: 'fail', action: 'index' }),
      controllers: { fail: FailController },
    })
    for (const text of ['x%0AGET%20/admin', 'x%0D%0AGET%20/admin%0A'])
      await new TestApp(app, { errors: 'page' }).get(`/?v=${text}`)
    const begun = lines.filter((line) => /^\S/.test(line)).map((line) => line.replace(/ .*/, ''))
    assert.deepEqual(new Set(begun), new Set(['GET', 'Error:', 'Caused']))
    assert.ok(!lines.includes('GET /admin'))
  })
})
