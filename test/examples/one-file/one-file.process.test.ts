import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { describe, it } from 'node:test'
import { Fault, XMLRPCClient } from 'propylon/xmlrpc'
import { assertAnswersAsDocumented } from '../../app/openapi/random-requests.ts'
import { recordedOdoo } from './odoo.ts'
import { start } from './program.ts'

const EXAMPLES = new URL('../../../examples/', import.meta.url)

describe('the examples of one file', () => {
  it('are all listed in their README, and short', () => {
    const page = readFileSync(new URL('README.md', EXAMPLES), 'utf8')
    const files = globSync('*.ts', { cwd: EXAMPLES }).sort()
    const listed = [...page.matchAll(/^\| \[[\w-]+\.ts\]\(([\w-]+\.ts)\)/gm)].map(([, file]) => file)
    assert.deepEqual(listed.toSorted(), files)
    for (const file of files) {
      const { length } = readFileSync(new URL(file, EXAMPLES), 'utf8').trimEnd().split('\n')
      assert.ok(length >= 10 && length <= 60, `${file} has ${length} lines`)
    }
  })

  it('hello: greets, and escapes names', async () => {
    await using program = await start('hello')
    assert.equal(basename(program.url), 'hello')
    const get = async (path: string) => (await fetch(program.url + path)).text()
    assert.equal(await get(''), 'Hello World')
    assert.equal(await get('/greet'), '<h1>Hello, world!</h1>')
    assert.equal(await get('/greet/%3Cjoe%3E'), '<h1>Hello, &lt;joe&gt;!</h1>')
    assert.equal((await fetch(`${program.url}/missing`)).status, 404)
  })

  it('json-api: answers random requests as its document says', async () => {
    await using program = await start('json-api')
    const { valid, succeeded } = await assertAnswersAsDocumented(
      {
        document: Object(await (await fetch(new URL('/openapi.json', program.url))).json()),
        send: (request) =>
          fetch(new Request(new URL(request.url.slice('http://localhost'.length), program.url), request)),
        isBeyondSchema: ({ status, errors }) =>
          // White space is removed before its length is checked.
          status === 400 && errors.length > 0 && errors.every(({ detail }) => detail.endsWith('received 0')),
      },
      100,
    )
    assert.ok(valid > 50, `only ${valid} requests were valid`)
    assert.deepEqual([...succeeded].sort(), ['tasks_create', 'tasks_index', 'tasks_show', 'tasks_update'])
  })

  it('json-api: creates, lists, shows and changes tasks, and refuses malformed ones', async () => {
    await using program = await start('json-api')
    const send = (method: string, path: string, body: unknown) =>
      fetch(program.url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const created = await send('POST', '', { title: ' Write tests ' })
    assert.deepEqual([created.status, created.headers.get('location')], [201, '/tasks/1'])
    assert.deepEqual(await created.json(), { id: 1, title: 'Write tests', done: false })
    const changed = await send('PUT', '/1', { title: 'Write tests', done: true })
    assert.deepEqual(await changed.json(), { id: 1, title: 'Write tests', done: true })
    assert.deepEqual(await (await fetch(`${program.url}?done=true`)).json(), [
      { id: 1, title: 'Write tests', done: true },
    ])
    assert.deepEqual(await (await fetch(`${program.url}?done=false`)).json(), [])
    const statuses = [
      await send('POST', '', { title: '' }),
      await send('POST', '', { title: 7 }),
      await send('PUT', '/2', { title: 'None' }),
      await fetch(`${program.url}/x`),
      await fetch(`${program.url}?done=maybe`),
      await fetch(`${program.url}/1`, { method: 'DELETE' }),
      await fetch(program.url, {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      }),
    ].map(({ status }) => status)
    assert.deepEqual(statuses, [400, 400, 404, 404, 400, 405, 400])
  })

  it('form: shows errors with the values, and redirects after a valid entry', async () => {
    await using program = await start('form')
    const send = (entry: Record<string, string>) =>
      fetch(program.url, { method: 'POST', body: new URLSearchParams(entry), redirect: 'manual' })
    const refused = await send({ name: '"J', text: '' })
    const page = await refused.text()
    assert.equal(refused.status, 400)
    assert.match(page, /value="&quot;J"/)
    assert.match(page, /Please write something/)
    const accepted = await send({ name: 'Joe', text: '<b>Hi</b>' })
    assert.deepEqual([accepted.status, accepted.headers.get('location')], [303, '/'])
    assert.match(await (await fetch(program.url)).text(), /<b>Joe<\/b>: &lt;b&gt;Hi&lt;\/b&gt;/)
  })

  it('upload: keeps files under names of its own, and sends them back', async () => {
    await using program = await start('upload')
    assert.match(await (await fetch(program.url)).text(), /type="file"/)
    const form = new FormData()
    form.set('comment', 'none')
    form.set('file', new Blob(['some bytes']), '../../etc/passwd')
    const created = await fetch(program.url, { method: 'POST', body: form })
    assert.equal(created.status, 201)
    const { files } = (await created.json()) as { files: { name: string; url: string }[] }
    assert.match(files[0]?.url ?? '', /^\/files\/[0-9a-f-]{36}$/)
    const sent = await fetch(new URL(files[0]?.url ?? '', program.url))
    assert.match(sent.headers.get('content-disposition') ?? '', /^attachment/)
    assert.equal(await sent.text(), 'some bytes')
    const empty = new FormData()
    empty.set('comment', 'none')
    assert.equal((await fetch(program.url, { method: 'POST', body: empty })).status, 400)
    assert.equal((await fetch(new URL('/files/etc', program.url))).status, 404)
    assert.equal((await fetch(new URL(`/files/${crypto.randomUUID()}`, program.url))).status, 404)
  })

  it('events: sends the number of visitors when one comes or leaves', async () => {
    await using program = await start('events')
    assert.match(await (await fetch(program.url)).text(), /new EventSource\('\/events'\)/)
    const first = await visit(program.url)
    assert.equal(await first.next(), 1)
    const second = await visit(program.url)
    assert.equal(await second.next(), 2)
    assert.equal(await first.next(), 2)
    second.leave()
    assert.equal(await first.next(), 1)
    first.leave()
  })

  it('xml-rpc: adds and divides, checks parameters, and describes itself', async () => {
    await using program = await start('xml-rpc')
    const client = new XMLRPCClient(program.url)
    assert.equal(await client.call('add', 1, 2), 3)
    assert.equal(await client.call('add', 1, 2, 3), 6)
    assert.equal(await client.call('divide', 7, 2), 3.5)
    const fault = (code: number) => (error: unknown) => error instanceof Fault && error.faultCode === code
    await assert.rejects(client.call('divide', 7, 0), fault(4))
    await assert.rejects(client.call('add', 'one', 2), fault(-32602))
    assert.equal(
      await client.call('system.methodHelp', 'divide'),
      "Divides a number by another.\n\nMethod signature: [['double', 'int', 'int'], ['double', 'double', 'double']]",
    )
    assert.match(await (await fetch(program.url, { headers: { accept: 'text/html' } })).text(), /divide/)
  })

  it('odoo-client: shows companies as JSON', async () => {
    const odoo = recordedOdoo().listen(0, '127.0.0.1')
    await once(odoo, 'listening')
    const { port } = odoo.address() as AddressInfo
    const env = {
      ODOO_URL: `http://127.0.0.1:${port}`,
      ODOO_DATABASE: 'shop',
      ODOO_USER: 'joe@odoo.test',
      ODOO_PASSWORD: 'secret',
    }
    try {
      await using program = await start('odoo-client', env)
      const companies = await fetch(`${program.url}?limit=5`)
      assert.deepEqual(await companies.json(), [{ id: 10, name: 'Deco Addict', email: false }])
      assert.equal((await fetch(`${program.url}?limit=five`)).status, 400)
      assert.equal((await fetch(`${program.url}?limit=0`)).status, 400)
      assert.equal((await fetch(`${program.url}?limit=6`)).status, 500)
      await assert.rejects(start('odoo-client', { ...env, ODOO_PASSWORD: 'wrong' }), /Odoo refused ODOO_USER/)
      await assert.rejects(start('odoo-client', { ...env, ODOO_USER: '' }), /ODOO_USER/)
    } finally {
      odoo.closeAllConnections()
      odoo.close()
    }
  })

  it('mounted-express: generates URLs below its mount point, and leaves other paths to Express', async () => {
    await using program = await start('mounted-express')
    const get = async (path: string) => {
      const response = await fetch(new URL(path, program.url))
      assert.equal(response.headers.get('x-served-by'), 'Express')
      return response.text()
    }
    assert.equal(await get('/shop/cart'), '<a href="/shop/cart/pay">Pay</a>')
    assert.equal(await get('/shop/cart/pay'), 'Thank you.')
    assert.equal(await get('/shop/missing'), 'Express has no such page.')
    assert.equal(await get('/'), 'Express has no such page.')
  })
})

/** A visitor of the example `events`. */
interface Visitor {
  /** Returns the next number of visitors. */
  next(): Promise<number>
  leave(): void
}

async function visit(url: string): Promise<Visitor> {
  const leaving = new AbortController()
  const response = await fetch(new URL('/events', url), { signal: leaving.signal })
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).values()
  assert.ok(chunks)
  let buffered = ''
  return {
    async next() {
      for (;;) {
        const event = /event: visitors\ndata: \{"count":(\d+)\}\n\n/.exec(buffered)
        if (event !== null) {
          buffered = buffered.slice(event.index + event[0].length)
          return Number(event[1])
        }
        const { value, done } = await chunks.next()
        if (done) throw new Error('The stream has ended')
        buffered += value
      }
    },
    leave: () => leaving.abort(),
  }
}
