/** The tools of `propylon serve --reload` for assistants. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { controller, project, routing } from '../check/project.ts'
import { writeTree } from './command-line.ts'
import { start } from './command-process.ts'

describe('the tools for assistants', () => {
  let cwd: string
  let child: ReturnType<typeof start>
  let url = ''
  let key = ''

  before(async () => {
    cwd = project({
      'config/routing.ts': routing("resource('book', 'books', { only: ['index', 'show'] })"),
      'controllers/books.ts': controller(
        'BooksController',
        "index() { return { books: ['Walden'] } }",
        "show(id: string) { if (id === '0') throw new RangeError('swordfish'); return { id } }",
      ),
    })
    child = start(['serve', '--port', '0', '--reload'], { cwd })
    let output = ''
    while (!output.includes('with the key in ')) {
      const [text] = await Promise.race([
        once(child.stdout, 'data'),
        once(child, 'close').then(() => assert.fail(`ended: ${output}`)),
      ])
      output += text
    }
    url = /at (http\S+), with the key in \.propylon\/key/.exec(output)?.[1] ?? ''
    key = readFileSync(join(cwd, '.propylon/key'), 'utf8').trim()
    assert.doesNotMatch(output, new RegExp(key))
  })
  after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  })

  async function post(method: string, params: object, headers: Record<string, string> = {}) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return fetch(url, { method: 'POST', headers: { Authorization: `Bearer ${key}`, ...headers }, body })
  }

  /** Returns the status of a GET with the key and another Host field. */
  async function statusAt(host: string): Promise<number | undefined> {
    const sent = request(url, { headers: { Host: host, Authorization: `Bearer ${key}` } }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    return response.statusCode
  }

  interface Result {
    readonly content: readonly { readonly text: string }[]
    readonly structuredContent: Record<string, unknown>
    readonly isError?: boolean
  }
  async function call(name: string, args: object = {}): Promise<Result> {
    const response = await post('tools/call', { name, arguments: args })
    assert.equal(response.status, 200)
    const { result, error } = (await response.json()) as { result: Result; error: unknown }
    assert.equal(error, undefined)
    return result
  }

  test('need the key, which only the owner of the project can read', async () => {
    const file = join(cwd, '.propylon/key')
    assert.equal(readFileSync(file, 'utf8').trim(), key)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal((await post('tools/list', {}, { Authorization: 'Bearer wrong' })).status, 401)
    assert.equal((await post('tools/list', {}, { Authorization: '' })).status, 401)
    assert.equal(await statusAt('evil.example'), 404)
    assert.equal(await statusAt('localhost'), 405)
    const { result } = (await (await post('tools/list', {})).json()) as {
      result: { tools: { name: string }[] }
    }
    assert.deepEqual(
      result.tools.map(({ name }) => name),
      ['check', 'explain', 'last_error', 'routes', 'send'],
    )
  })

  test('list the routes and explain a path', async () => {
    const { content } = await call('routes')
    assert.match(content[0]?.text ?? '', /"path":"\/books\/\{id\}"/)
    const { structuredContent: found } = await call('explain', { path: '/books/7' })
    assert.deepEqual(found.match, { controller: 'books', action: 'show', id: '7' })
    const { structuredContent: missed } = await call('explain', { path: '/book', method: 'GET' })
    assert.equal(missed.kind, 'none')
  })

  test('send a request, and show the error with its source', async () => {
    assert.match((await call('last_error')).content[0]?.text ?? '', /no error/)
    const { structuredContent } = await call('send', { method: 'GET', path: '/books' })
    assert.deepEqual([structuredContent.status, structuredContent.body], [200, '{"books":["Walden"]}'])
    const failed = await call('send', { method: 'GET', path: '/books/0' })
    assert.equal(failed.structuredContent.status, 500)
    const error = (await call('last_error')).content[0]?.text ?? ''
    assert.match(error, /^GET \/books\/0\nRangeError: swordfish/)
    assert.match(error, /controllers\/books\.ts:5\n.*> 5 \|[^\n]*swordfish/s)
    assert.equal((await call('send', { method: 'GET', path: 'http://evil.example/' })).isError, true)
  })

  test('check the current files', async () => {
    assert.deepEqual((await call('check')).structuredContent, { findings: [] })
    writeTree(cwd, {
      'controllers/books.ts': controller(
        'BooksController',
        "index() { return 'x' }",
        'show(idd: string) { return idd }',
      ),
    })
    const { findings } = (await call('check')).structuredContent as { findings: { code: string }[] }
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['argument-not-supplied'],
    )
  })
})

describe('propylon serve --reload', () => {
  const files = {
    'config/routing.ts': routing("connect('/', { controller: 'home' })"),
    'controllers/home.ts': controller('HomeController', "index() { return 'x' }"),
  }

  /** Serves a project, and returns the status of a request for its tools at this machine's address, with the lines printed before. */
  async function served(options: readonly string[], env: Record<string, string> = {}) {
    const cwd = project(files)
    const child = start(['serve', '--port', '0', '--reload', ...options], { cwd, env })
    try {
      let output = ''
      while (!/http\S+\n/.test(output)) output += (await once(child.stdout, 'data'))[0]
      const port = /:(\d+)\n/.exec(output)?.[1]
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      const response = await fetch(`http://127.0.0.1:${port}/_propylon/mcp`, { method: 'POST', body })
      return { output, port, status: response.status }
    } finally {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'close')
    }
  }

  test('prints an address of this machine if it listens at all addresses', async () => {
    const { output, port, status } = await served(['--host', '0.0.0.0'])
    assert.match(output, new RegExp(`\\(MCP\\) at http://127\\.0\\.0\\.1:${port}/`))
    assert.equal(status, 401)
  })

  test('has no tools in production', async () => {
    const { output, status } = await served([], { NODE_ENV: 'production' })
    assert.doesNotMatch(output, /Tools/)
    assert.equal(status, 404)
  })
})
