import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, createEnviron, type HeaderPair, lint, run, type WSGIApplication } from 'propylon/wsgi'
import { withScript } from '../../../src/tools/reload/live-page.ts'

const HTML = '<!doctype html><body>text</body>'
const TAG = '<script src="/__propylon__/live.js?seen=s-1" defer></script>\n'

interface Answer {
  readonly status?: string
  readonly headers?: HeaderPair[]
  readonly body?: Body
}

function application({ status = '200 OK', headers = [], body = [HTML] }: Answer): WSGIApplication {
  return (_environ, start_response) => {
    const typed = headers.some(([name]) => name === 'Content-Type')
    start_response(status, typed ? headers : [['Content-Type', 'text/html; charset=utf-8'], ...headers])
    return body
  }
}

async function serve(app: WSGIApplication, scriptName = '', headers: HeaderPair[] = []) {
  const page = { state: 's-1', scriptName }
  const linted = lint((environ, start_response) => withScript(lint(app), page, environ, start_response))
  const result = await run(linted, createEnviron({ headers }))
  return { headers: new Map(result.headers), text: await result.text() }
}

describe('the script is added', () => {
  const pages: readonly [what: string, body: Body, page: string][] = [
    ['before the end of the body', ['<body>a</body></html>'], `<body>a${TAG}</body></html>`],
    ['before the last end where there are several', ['<body>"</body>"</BODY >'], `<body>"</body>"${TAG}</BODY >`],
    ['at the end of a page that does not write the tag', ['<!DOCTYPE html><p>a'], `<!DOCTYPE html><p>a${TAG}`],
    ['after blanks in front of a page', ['\n <html><p>a'], `\n <html><p>a${TAG}`],
    ['into a page of several chunks', ['<body>a</bo', new TextEncoder().encode('dy>')], `<body>a${TAG}</body>`],
  ]
  for (const [what, body, page] of pages) {
    it(what, async () => {
      const { headers, text } = await serve(
        application({ body, headers: [['Content-Length', String(page.length - TAG.length)]] }),
      )
      assert.equal(text, page)
      assert.equal(headers.get('Content-Length'), String(page.length))
    })
  }

  for (const body of [[], ['<p>part</p>']]) {
    it(`into ${body.length === 0 ? 'an empty response' : 'a fragment'} that a browser opens as a page`, async () => {
      const { text } = await serve(application({ body }), '', [['Sec-Fetch-Dest', 'document']])
      assert.equal(text, `${body.join('')}${TAG}`)
    })
  }

  it('into the page of an error', async () => {
    assert.match((await serve(application({ status: '404 Not Found' }))).text, /live\.js/)
  })

  it('with the mount point in its address, encoded and escaped', async () => {
    const { text } = await serve(application({}), '/a "b"&<c>')
    assert.match(text, /<script src="\/a%20%22b%22&amp;%3Cc%3E\/__propylon__\/live\.js\?seen=s-1" defer>/)
  })

  it('with the nonce of the page’s content security policy', async () => {
    const policy: HeaderPair = ['Content-Security-Policy', "script-src 'nonce-aB3+/_-=' 'strict-dynamic'"]
    const { text } = await serve(application({ headers: [policy] }))
    assert.match(text, /live\.js\?seen=s-1" nonce="aB3\+\/_-=" defer>/)
  })

  it('and the response is not cacheable and has no validators of the original', async () => {
    const kept: HeaderPair[] = [
      ['ETag', '"1"'],
      ['Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT'],
      ['Cache-Control', 'max-age=60'],
    ]
    const { headers } = await serve(application({ headers: kept }))
    assert.deepEqual([...headers.keys()], ['Content-Type', 'Cache-Control', 'Content-Length'])
    assert.equal(headers.get('Cache-Control'), 'no-store')
  })

  it('and the body is closed once', async () => {
    let closed = 0
    const body = Object.assign([HTML], { close: () => void closed++ })
    await serve(application({ body }))
    assert.equal(closed, 1)
  })
})

describe('the response is unchanged if it', () => {
  const others: readonly [what: string, answer: Answer][] = [
    ['is no HTML', { headers: [['Content-Type', 'text/plain']] }],
    ['is XHTML, where the tag would be wrong', { headers: [['Content-Type', 'application/xhtml+xml']] }],
    ['is a fragment', { body: ['<p>part</p>'] }],
    ['is empty', { body: [] }],
    ['is compressed', { headers: [['Content-Encoding', 'gzip']] }],
    ['is a range', { status: '206 Partial Content', headers: [['Content-Range', 'bytes 0-31/32']] }],
    ['vouches for its bytes', { headers: [['Repr-Digest', 'sha-256=:AA==:']] }],
    [
      'is in an encoding in which ASCII is written otherwise',
      { headers: [['Content-Type', 'text/html; charset=utf-16le']] },
    ],
    [
      'is streamed',
      {
        body: (async function* () {
          yield HTML
        })(),
      },
    ],
    [
      'is streamed from a generator',
      {
        body: (function* () {
          yield HTML
        })(),
      },
    ],
  ]
  for (const [what, answer] of others) {
    it(what, async () => {
      const { headers, text } = await serve(application(answer))
      assert.doesNotMatch(text, /live\.js/)
      assert.equal(headers.has('Cache-Control'), false)
    })
  }

  it('is written before it is returned', async () => {
    const { text } = await serve((_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'text/html']])(HTML)
      return [HTML]
    })
    assert.equal(text, HTML + HTML)
  })

  it('begins late, when its body is read', async () => {
    const { text } = await serve((_environ, start_response) =>
      (function* () {
        start_response('200 OK', [['Content-Type', 'text/html']])
        yield HTML
      })(),
    )
    assert.equal(text, HTML)
  })

  it('replaces one that was a page', async () => {
    const { text } = await serve((_environ, start_response) => {
      start_response('200 OK', [['Content-Type', 'text/html']])
      start_response('500 Internal Server Error', [['Content-Type', 'text/plain']], new Error('late'))
      return [HTML]
    })
    assert.equal(text, HTML)
  })
})
