import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { FrameworkApp, Mapper } from 'propylon'
import { forwardTo } from 'propylon/node'
import { TestApp } from 'propylon/testing'
import { propylonHere, temporaryFolder } from '../cli/command-line.ts'

type Handler = (req: IncomingMessage, res: ServerResponse) => void

const folder = temporaryFolder()
let files = 0

/** Writes a file with records of requests, as `forwardTo({ record })` does. */
function recorded(requests: readonly (string | object)[]): string {
  const name = `requests-${files++}.jsonl`
  const lines = requests.map((request) =>
    JSON.stringify(typeof request === 'string' ? { method: 'GET', url: request, headers: [] } : request),
  )
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  return name
}

async function serving(handler: Handler): Promise<Server & { url: string }> {
  const server = createServer(handler)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on a port has this address.
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

interface Found {
  readonly method: string
  readonly url: string
  readonly differences: readonly { readonly where: string; readonly old: string; readonly new: string }[]
}

/** Compares two handlers by some requests. */
async function shadow(
  old: Handler,
  fresh: Handler,
  requests: readonly (string | object)[],
  ...options: readonly string[]
): Promise<{ status: number | null; found: Found[] }> {
  const servers = [await serving(old), await serving(fresh)]
  try {
    const [one, other] = servers
    const words = [
      'shadow',
      recorded(requests),
      '--old',
      one?.url ?? '',
      '--new',
      other?.url ?? '',
      '--json',
      ...options,
    ]
    const { status, stdout, stderr } = await propylonHere(words, folder)
    assert.equal(stderr, '')
    return {
      status,
      found: stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    }
  } finally {
    for (const server of servers) server.close()
  }
}

const sending =
  (body: string | Uint8Array, headers: Record<string, string | string[]> = {}, status = 200): Handler =>
  (_req, res) =>
    void res.writeHead(status, headers).end(body)

const breaking: Handler = (_req, res) => void res.destroy()

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Compresses its response whatever the client accepts. */
const packed: Handler = (_req, res) =>
  void res.writeHead(200, { ...HTML, 'Content-Encoding': 'gzip' }).end(gzipSync('<p>x'))

/** The places of the differences of one response to another. */
async function places(old: Handler, fresh: Handler, ...options: readonly string[]): Promise<string[]> {
  const { found } = await shadow(old, fresh, ['/'], ...options)
  return found.flatMap(({ differences }) => differences.map(({ where }) => where))
}

describe('propylon shadow', () => {
  for (const [what, old, fresh, expected] of [
    ['the same', sending('x', HTML), sending('x', HTML), []],
    ['a status', sending(''), sending('', {}, 404), ['status']],
    ['a type', sending('x', { 'Content-Type': 'text/plain' }), sending('x', HTML), ['header content-type']],
    [
      'the spelling of a type',
      sending('x', { 'Content-Type': 'text/html; charset="UTF-8"' }),
      sending('x', HTML),
      [],
    ],
    [
      'a location',
      sending('', { Location: '/a' }, 302),
      sending('', { Location: '/b' }, 302),
      ['header location'],
    ],
    [
      'Date, Server and ETag',
      sending('', { Server: 'Paste', ETag: '"1"' }),
      sending('', { Server: 'x' }),
      [],
    ],
    [
      'the value of a cookie',
      sending('', { 'Set-Cookie': ['a=1; Path=/', 'b=1'] }),
      sending('', { 'Set-Cookie': ['b=3', 'a=2; path=/'] }),
      [],
    ],
    [
      'an attribute of a cookie',
      sending('', { 'Set-Cookie': 'a=1; Path=/' }),
      sending('', { 'Set-Cookie': 'a=1; Path=/; HttpOnly' }),
      ['header set-cookie'],
    ],
    ['a missing cookie', sending('', { 'Set-Cookie': 'a=1' }), sending(''), ['header set-cookie']],
    [
      'layout of HTML',
      sending('<p  class=a id=b>x  y<!--z--><br/></p>', HTML),
      sending('<p id="b" class="a">\n  x y<br>\n</p>', HTML),
      [],
    ],
    [
      'a nonce and a token',
      sending(
        '<script nonce=a></script><input name=csrf_token value=1><meta name=csrf-token content=1>',
        HTML,
      ),
      sending(
        '<script nonce=b></script><input name=csrf_token value=2><meta name=csrf-token content=2>',
        HTML,
      ),
      [],
    ],
    [
      'a text',
      sending('<ul><li>a<li>b</ul>', HTML),
      sending('<ul><li>a<li>c</ul>', HTML),
      ['body html > body > ul > li:nth-of-type(2) text'],
    ],
    [
      'an attribute',
      sending('<a href=/a>x</a>', HTML),
      sending('<a href=/b>x</a>', HTML),
      ['body html > body > a [href]'],
    ],
    [
      'an element',
      sending('<p>a</p><p>b</p>', HTML),
      sending('<p>a</p>', HTML),
      ['body html > body children'],
    ],
    [
      'white space of pre',
      sending('<pre>a  b</pre>', HTML),
      sending('<pre>a b</pre>', HTML),
      ['body html > body > pre text'],
    ],
    [
      'a text of a script',
      sending('<script>a()</script>', HTML),
      sending('<script>b()</script>', HTML),
      ['body html > head > script text'],
    ],
    ['order of JSON', sending('{"a":1, "b":[1]}', JSON_TYPE), sending('{"b":[1],"a":1}', JSON_TYPE), []],
    [
      'a member',
      sending('{"a":{"b":[1,{"c":2}]}}', JSON_TYPE),
      sending('{"a":{"b":[1,{"c":3}]}}', JSON_TYPE),
      ['body a.b.1.c'],
    ],
    ['a missing member and null', sending('{"a":null}', JSON_TYPE), sending('{}', JSON_TYPE), ['body a']],
    ['a type of JSON', sending('{"a":1}', JSON_TYPE), sending('{"a":"1"}', JSON_TYPE), ['body a']],
    ['the length of a list', sending('[1,2]', JSON_TYPE), sending('[1]', JSON_TYPE), ['body']],
    ['a line', sending('a\r\nb'), sending('a\nc'), ['body']],
    [
      'bytes',
      sending('a', { 'Content-Type': 'image/png' }),
      sending('b', { 'Content-Type': 'image/png' }),
      ['body'],
    ],
    [
      'line ends of text',
      sending('a\r\nb', { 'Content-Type': 'text/plain' }),
      sending('a\nb', { 'Content-Type': 'text/plain' }),
      [],
    ],
    [
      'a line of text',
      sending('a\nb', { 'Content-Type': 'text/plain' }),
      sending('a\nc', { 'Content-Type': 'text/plain' }),
      ['body line 2'],
    ],
    ['compression', sending('<p>x', HTML), packed, []],
    [
      'an integer that no number holds',
      sending('{"a":12345678901234567890}', JSON_TYPE),
      sending('{"a":12345678901234567891}', JSON_TYPE),
      ['body a'],
    ],
    ['the spelling of a text in JSON', sending('"é"', JSON_TYPE), sending('\ufeff"\\u00e9"', JSON_TYPE), []],
    [
      'JSON that is nested too deep',
      sending(`${'['.repeat(50_000)}1`, JSON_TYPE),
      sending(`${'['.repeat(50_000)}2`, JSON_TYPE),
      ['body line 1'],
    ],
    [
      'HTML that is nested too deep',
      sending(`${'<div>'.repeat(30_000)}1`, HTML),
      sending(`${'<div>'.repeat(30_000)}2`, HTML),
      ['body line 1'],
    ],
    [
      'bytes of Latin-1',
      sending(Buffer.from('caf\xe9', 'latin1'), { 'Content-Type': 'text/plain; charset=iso-8859-1' }),
      sending(Buffer.from('caf\xe8', 'latin1'), { 'Content-Type': 'text/plain; charset=iso-8859-1' }),
      ['body line 1'],
    ],
    [
      'bytes of Latin-1 without a charset',
      sending(Buffer.from('<p>caf\xe9', 'latin1'), { 'Content-Type': 'text/html' }),
      sending(Buffer.from('<p>caf\xe8', 'latin1'), { 'Content-Type': 'text/html' }),
      ['body html > body > p text'],
    ],
    [
      'white space of elements inside pre',
      sending('<pre><code>a\n  b</code></pre>', HTML),
      sending('<pre><code>a b</code></pre>', HTML),
      ['body html > body > pre > code text'],
    ],
    [
      'a no-break space',
      sending('<p>a&nbsp;b', HTML),
      sending('<p>a b', HTML),
      ['body html > body > p text'],
    ],
    [
      'the spelling of attributes without values',
      sending('<input checked="checked" class="a b">', HTML),
      sending('<input checked class="b  a">', HTML),
      [],
    ],
    [
      'a cell of a row without its table',
      sending('<tr><td>a</td></tr>', HTML),
      sending('<tr><td>a</td><td></td></tr>', HTML),
      ['body tr children'],
    ],
    [
      'the removal of a cookie',
      sending('', { 'Set-Cookie': 'a=; Max-Age=0' }),
      sending('', { 'Set-Cookie': 'a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT' }),
      ['header set-cookie'],
    ],
    [
      'the way in which a cookie is removed',
      sending('', { 'Set-Cookie': 'a=; Max-Age=0' }),
      sending('', { 'Set-Cookie': 'a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT' }),
      [],
    ],
    [
      'the spelling of a list',
      sending('', { Link: '</a>; rel=next , </b>' }),
      sending('', { Link: '</a>;rel="next",</b>' }),
      [],
    ],
    ['an empty body', sending('a', HTML), sending('', HTML), ['body html > body children']],
    ['a broken connection', sending(''), breaking, ['response']],
    ['a broken connection of the old server', breaking, sending(''), ['response']],
    ['broken connections of both servers', breaking, breaking, ['response']],
  ] as const) {
    test(`${expected.length === 0 ? 'ignores' : 'finds'} ${what}`, async () => {
      assert.deepEqual(await places(old, fresh), expected)
    })
  }

  test('knows the URLs of both servers', async () => {
    const linked: Handler = (req, res) =>
      void res
        .writeHead(302, { ...HTML, Location: `http://${req.headers.host}/x` })
        .end(`<a href="http://${req.headers.host}/y">`)
    const bare: Handler = (req, res) =>
      void res.writeHead(302, { ...HTML, Location: '/x' }).end(`<a href="http://${req.headers.host}/y">`)
    assert.deepEqual(await places(linked, linked), [])
    assert.deepEqual(await places(linked, bare), [])
    const quoting: Handler = ({ headers: { host } }, res) =>
      void res
        .writeHead(302, { ...JSON_TYPE, Location: `/login?next=${encodeURIComponent(`http://${host}/x`)}` })
        .end(`["http:\\/\\/${host}\\/x", "//${host}"]`)
    assert.deepEqual(await places(quoting, quoting), [])
  })

  test('waits for a response once', async () => {
    const received: (string | undefined)[] = []
    const stalling: Handler = (req, res) => {
      received.push(req.url)
      if (req.url !== '/stalls') res.end()
    }
    const { found } = await shadow(
      stalling,
      sending(''),
      ['/', '/stalls'],
      '--concurrency',
      '1',
      '--timeout',
      '1',
    )
    assert.deepEqual(received, ['/', '/stalls'])
    assert.equal(found[0]?.differences[0]?.old, 'no response: no response within 1000 ms')
  })

  test('sends all values of a repeated field', async () => {
    const received: (string | undefined)[] = []
    const log: Handler = ({ headers }, res) => {
      received.push(headers.cookie, headers.accept)
      res.end()
    }
    const headers = ['cookie: a=1', 'cookie: b=2', 'accept: x/y', 'accept: z/*'].map((field) =>
      field.split(': '),
    )
    await shadow(log, sending(''), [{ method: 'GET', url: '/', headers }])
    assert.deepEqual(received, ['a=1; b=2', 'x/y, z/*'])
  })

  test('ignores what the old server changes by itself, at the same place only', async () => {
    let count = 0
    const clock =
      (name: string): Handler =>
      (_req, res) =>
        void res.writeHead(200, HTML).end(`<b>${name}</b><i>${count++}</i>`)
    assert.deepEqual(await places(clock('a'), clock('a')), [])
    assert.deepEqual(await places(clock('a'), clock('b')), ['body html > body > b text'])
    const feed =
      (rest: string): Handler =>
      (_req, res) =>
        void res.writeHead(200, { 'Content-Type': 'application/xml' }).end(`<a>${count++}\n${rest}`)
    assert.deepEqual(await places(feed('b'), feed('b')), [])
    assert.deepEqual(await places(feed('b'), feed('c')), ['body line 2'])
    assert.deepEqual(await places(feed('b'), feed('b\nc')), ['body'])
  })

  test('follows rules', async () => {
    const page = (clock: number) =>
      sending(`<p class="a clock">${clock}</p>${clock} ms`, { ...HTML, 'Cache-Control': `max-age=${clock}` })
    assert.equal((await places(page(1), page(2))).length, 3)
    const rules = ['header:cache-control', 'html:p.clock', 'text:\\d+ ms'].flatMap((rule) => [
      '--ignore',
      rule,
    ])
    assert.deepEqual(await places(page(1), page(2), ...rules), [])
    const items = (at: number) => sending(`{"items":[{"time":${at}}]}`, JSON_TYPE)
    assert.deepEqual(await places(items(1), items(2), '--ignore', 'json:items.*.time'), [])
    assert.deepEqual(await places(items(1), items(2), '--ignore', 'json:*.time'), ['body items.0.time'])
    assert.deepEqual(await places(items(1), items(2), '--ignore', 'path:/*'), [])
  })

  test('sends safe methods only, with their fields', async () => {
    const received: string[] = []
    const log: Handler = (req, res) => {
      received.push(
        `${req.method} ${req.url} ${req.headers.accept} ${req.headers.cookie} ${req.headers['accept-encoding']}`,
      )
      req.resume().on('end', () => res.end())
    }
    const requests = [
      {
        method: 'GET',
        url: '/a?b',
        headers: [
          ['accept', 'text/html'],
          ['host', 'x'],
          ['connection', 'y'],
          ['accept-encoding', 'br'],
        ],
      },
      { method: 'POST', url: '/c', headers: [], body: btoa('x=1') },
      { method: 'POST', url: '/d', headers: [], omitsBody: true },
    ]
    await shadow(log, log, requests, '--header', 'Cookie: a=1')
    assert.deepEqual(received, Array(2).fill('GET /a?b text/html a=1 identity'))
    received.length = 0
    await shadow(log, log, requests, '--unsafe', '--concurrency', '1')
    assert.deepEqual(received.slice(2), Array(2).fill('POST /c undefined undefined identity'))
  })

  test('reads what forwardTo records, and HAR files', async () => {
    const path = join(folder, 'recorded.jsonl')
    const old = await serving(sending('x'))
    const app = new FrameworkApp({
      map: new Mapper(),
      controllers: {},
      fallback: forwardTo(old.url, { record: path }),
    })
    await new TestApp(app).get('/a%20b?c=1')
    const har = {
      log: {
        entries: [
          {
            request: {
              method: 'GET',
              url: 'https://old.example/a%20b?c=1',
              headers: [
                { name: ':authority', value: 'x' },
                { name: 'Accept', value: '*/*' },
              ],
            },
          },
          { request: { method: 'GET', url: 'https://cdn.example/x.js', headers: [] } },
        ],
      },
    }
    writeFileSync(join(folder, 'site.har'), JSON.stringify(har, null, 2))
    const fresh = await serving((req, res) => void res.end(req.url === '/a%20b?c=1' ? 'x' : 'y'))
    for (const file of ['recorded.jsonl', 'site.har']) {
      const { status, stdout } = await propylonHere(
        ['shadow', file, '--old', old.url, '--new', `${fresh.url}/`],
        folder,
      )
      assert.deepEqual([status, stdout], [0, '1 equal, 0 different, 0 not sent\n'])
    }
    old.close()
    fresh.close()
  })

  test('prints differences, without the values of cookies', async () => {
    const old = await serving(sending('{"a":1}', { ...JSON_TYPE, 'Set-Cookie': 'id=secret' }))
    const fresh = await serving(sending('{"a":2}', JSON_TYPE))
    const { status, stdout } = await propylonHere(
      ['shadow', recorded(['/x']), '--old', old.url, '--new', fresh.url],
      folder,
    )
    assert.equal(status, 1)
    assert.equal(
      stdout,
      'GET /x\n  header set-cookie: ["id"] → []\n  body a: 1 → 2\n0 equal, 1 different, 0 not sent\n',
    )
    old.close()
    fresh.close()
  })

  for (const [what, words, message] of [
    ['a missing server', ['--old', 'http://x'], /--new is missing/],
    ['a wrong URL', ['--old', 'x', '--new', 'http://x'], /'x' is not the URL of a server/],
    ['a rule without a kind', ['--old', 'http://x', '--new', 'http://x', '--ignore', 'x'], /has no kind/],
    [
      'a wrong expression',
      ['--old', 'http://x', '--new', 'http://x', '--ignore', 'text:('],
      /not a regular expression/,
    ],
    [
      'a wrong selector',
      ['--old', 'http://x', '--new', 'http://x', '--ignore', 'html:p['],
      /not a CSS selector/,
    ],
    ['a wrong field', ['--old', 'http://x', '--new', 'http://x', '--header', 'a\nb: c'], /not a header/],
    ['a wrong number', ['--old', 'http://x', '--new', 'http://x', '--concurrency', '0'], /from 1 to 9999/],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const { status, stderr } = await propylonHere(['shadow', recorded(['/']), ...words], folder)
      assert.equal(status, 2)
      assert.match(stderr, message)
    })
  }

  test('refuses files that are no records', async () => {
    const servers = ['--old', 'http://127.0.0.1:1', '--new', 'http://127.0.0.1:1']
    assert.equal((await propylonHere(['shadow', 'missing', ...servers], folder)).status, 2)
    for (const text of ['no JSON', '{"a":1}', '{"log":{}}', '[]']) {
      writeFileSync(join(folder, 'wrong'), text)
      const { status, stderr } = await propylonHere(['shadow', 'wrong', ...servers], folder)
      assert.equal(status, 1, text)
      assert.match(stderr, /wrong/)
    }
  })

  describe('with ten thousand requests', () => {
    const SEEDED = new Set(Array.from({ length: 60 }, (_, index) => index * 163 + 7))
    let old: Server & { url: string }
    let fresh: Server & { url: string }
    const page =
      (isNew: boolean): Handler =>
      (req, res) => {
        const id = Number(req.url?.slice(1))
        const kind = isNew && SEEDED.has(id) ? id % 6 : -1
        const isJson = id % 2 === 0
        const value = kind === 1 || kind === 2 ? id + 1 : id
        res.setHeader('Content-Type', kind === 3 ? 'text/plain' : isJson ? 'application/json' : 'text/html')
        res.setHeader('Set-Cookie', kind === 4 ? `other=${id}` : `id=${Math.random()}`)
        res.statusCode = kind === 5 ? 404 : kind === 0 ? 500 : 200
        res.end(
          isJson
            ? JSON.stringify({ items: [{ value, name: 'é' }] })
            : `<ul><li data-id=${value}>Item ${id}</ul>`,
        )
      }
    before(async () => {
      old = await serving(page(false))
      fresh = await serving(page(true))
    })
    after(() => {
      old.close()
      fresh.close()
    })

    test('finds every seeded difference and no other', async () => {
      const file = recorded(Array.from({ length: 10_000 }, (_, id) => `/${id}`))
      const words = ['shadow', file, '--old', old.url, '--new', fresh.url, '--json', '--concurrency', '8']
      const { stdout } = await propylonHere(words, folder)
      const found = stdout
        .split('\n')
        .filter(Boolean)
        .map((line): Found => JSON.parse(line))
      assert.deepEqual(
        found.map(({ url }) => Number(url.slice(1))).sort((a, b) => a - b),
        [...SEEDED],
      )
    })

    test('finds nothing between equal servers', async () => {
      const file = recorded(Array.from({ length: 10_000 }, (_, id) => `/${id}`))
      const { status, stdout } = await propylonHere(
        ['shadow', file, '--old', old.url, '--new', old.url],
        folder,
      )
      assert.deepEqual([status, stdout], [0, '10000 equal, 0 different, 0 not sent\n'])
    })
  })
})
