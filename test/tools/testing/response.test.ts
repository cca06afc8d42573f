import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import type { HeaderPair, WSGIApplication } from 'propylon/wsgi'

/** Responses by path: status, headers, body. For other paths the response describes the request. */
function site(
  pages: Record<string, [status: string, headers: HeaderPair[], body?: string | Uint8Array]>,
): WSGIApplication {
  return async (environ, start_response) => {
    const page = pages[environ.PATH_INFO]
    const [status, headers, body] = page ?? ['200 OK', [['Content-Type', 'text/plain']] as HeaderPair[]]
    start_response(status, headers)
    if (environ.REQUEST_METHOD === 'HEAD') return []
    const got = new TextDecoder().decode(await environ['wsgi.input'].read())
    return [
      body ??
        (page === undefined ? `${environ.REQUEST_METHOD} ${environ.HTTP_HOST} ${environ.REQUEST_URI} ${got}` : ''),
    ]
  }
}

const html: HeaderPair[] = [['Content-Type', 'text/html; charset=utf-8']]

function page(body: string | Uint8Array, headers = html) {
  return new TestApp(site({ '/dir/page': ['200 OK', headers, body] })).get('/dir/page')
}

function redirect(status: string, location: string) {
  return new TestApp(site({ '/dir/page': [status, [['Location', location]]] }))
}

describe('a response', () => {
  test('has its headers as the application sent them and as a web Headers', async () => {
    const headers: HeaderPair[] = [
      ['X-A', '1'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['Content-Type', 'text/plain'],
      ['x-a', '2'],
    ]
    const response = await page('', headers)
    assert.deepEqual(response.headerPairs.slice(0, 5), headers)
    assert.equal(response.headers.get('x-a'), '1, 2')
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
  })

  for (const [type, bytes, text] of [
    ['text/plain; charset=utf-8', [0xc3, 0xa9], 'é'],
    ['text/plain', [0xc3, 0xa9], 'é'],
    ['text/plain; charset=iso-8859-1', [0xe9], 'é'],
    ['text/plain; charset="UTF-16LE"', [0xe9, 0], 'é'],
  ] as const) {
    test(`is decoded with the charset of ${type}`, async () => {
      assert.equal((await page(new Uint8Array(bytes), [['Content-Type', type]])).text, text)
    })
  }

  test('of an unknown charset cannot be read as text', async () => {
    const response = await page('x', [['Content-Type', 'text/plain; charset=none']])
    assert.throws(() => response.text, RangeError)
  })

  test('is parsed as JSON for any media type', async () => {
    const response = await page('{"a":1}', [['Content-Type', 'text/javascript']])
    assert.equal(response.json<{ a: number }>().a, 1)
  })

  test('that is not JSON raises an error with the response', async () => {
    const response = await page('<p>no</p>')
    assert.throws(() => response.json(), /not JSON\nGET http:\/\/localhost\/dir\/page\n200 OK\n.*<p>no<\/p>/s)
  })

  test('that is not HTML has no page and no forms', async () => {
    const response = await page('<p>', [['Content-Type', 'text/plain']])
    assert.throws(() => response.html, /not HTML/)
    assert.throws(() => response.forms, /not HTML/)
    await assert.rejects(response.click('x'), /not HTML/)
  })

  test('has a page', async () => {
    const response = await page('<title>T</title><p class=a>text')
    assert.equal(response.html.title, 'T')
    assert.equal(response.html.find('p.a')?.text, 'text')
    assert.equal(response.html, response.html)
  })

  test('must contain texts and patterns', async () => {
    const response = await page('one two')
    assert.equal(response.mustContain('one', /t.o/, /two/g, /two/g), response)
    assert.equal(response.mustNotContain('three', /x/), response)
    assert.throws(() => response.mustContain('one', 'three', /x/), /lacks "three", \/x\/\nGET /)
    assert.throws(() => response.mustNotContain('three', 'one'), /contains "one"\n/)
  })

  test('shows only the beginning of a long body, and the length of binary content', async () => {
    assert.match((await page('x'.repeat(3000))).describe(), /\n\nx{2000}…$/)
    assert.match((await page(new Uint8Array(9), [['Content-Type', 'image/png']])).describe(), /\(9 bytes\)$/)
  })
})

describe('a form', () => {
  const forms = '<form id=one></form><form name=two action=/x></form><form action=/y></form>'

  for (const [which, index] of [
    [0, 0],
    [2, 2],
    ['one', 0],
    ['two', 1],
    ['/x', 1],
    ['/y', 2],
  ] as const) {
    test(`is found by ${JSON.stringify(which)}`, async () => {
      const response = await page(forms)
      assert.equal(response.form(which), response.forms[index])
    })
  }

  for (const which of [3, -1, 'three', '']) {
    test(`is not found by ${JSON.stringify(which)}`, async () => {
      const response = await page(forms)
      assert.throws(
        () => response.form(which),
        /no form .*; it has <form id="one">, <form name="two" action="\/x">, <form action="\/y">/,
      )
    })
  }

  test('without a choice must be the only one', async () => {
    const [several, none] = [await page(forms), await page('')]
    assert.throws(() => several.form(), /the page has 3 forms: <form id/)
    assert.throws(() => none.form(), /the page has 0 forms: none/)
  })

  test('has an id, name, method and action', async () => {
    const form = (await page(forms)).form('two')
    assert.deepEqual([form.id, form.name, form.method, form.action], ['', 'two', 'GET', 'http://localhost/x'])
  })
})

describe('a click', () => {
  const links = `<a href=next>Next</a> <a href="/next/page">Next <b>page</b></a> <a id=last class=nav href=?p=9#x>Last</a>
    <a>dead</a> <a href=mailto:a@b.c>Mail</a> <a href=//www.localhost/x>Away</a> <a href=same>Same 1</a> <a href=same>Same 2</a>`

  for (const [link, uri] of [
    ['Next', '/dir/next'],
    ['Next page', '/next/page'],
    ['page', '/next/page'],
    ['Same', '/dir/same'],
    [/^next p/i, '/next/page'],
    ['#last', '/dir/page?p=9'],
    ['a.nav', '/dir/page?p=9'],
    ['[href="/next/page"]', '/next/page'],
  ] as const) {
    test(`on ${link} leads to ${uri}`, async () => {
      const response = await (await page(links)).click(link)
      assert.equal(response.request.target, uri)
      assert.equal(response.request.headers.get('referer'), 'http://localhost/dir/page')
      assert.equal(response.request.headers.get('origin'), null)
    })
  }

  test('on a link to another host sends the request to that host', async () => {
    assert.equal((await (await page(links)).click('Away')).text, 'GET www.localhost /x ')
  })

  for (const [link, message] of [
    ['Nxt', /no link "Nxt"; it has "Next" → next, "Next page" → /],
    ['dead', /no link/],
    [/next/i, /2 different links/],
    ['Mail', /leads to mailto:a@b.c/],
  ] as const) {
    test(`on ${link} is an error`, async () => {
      await assert.rejects((await page(links)).click(link), { message })
    })
  }
})

describe('a redirect', () => {
  for (const [status, method, expected] of [
    ['301 Moved Permanently', 'POST', 'GET localhost /x '],
    ['301 Moved Permanently', 'PUT', 'GET localhost /x '],
    ['302 Found', 'POST', 'GET localhost /x '],
    ['303 See Other', 'POST', 'GET localhost /x '],
    ['303 See Other', 'DELETE', 'GET localhost /x '],
    ['307 Temporary Redirect', 'POST', 'POST localhost /x a=1'],
    ['308 Permanent Redirect', 'PUT', 'PUT localhost /x a=1'],
    ['302 Found', 'GET', 'GET localhost /x '],
    ['302 Found', 'HEAD', ''],
  ] as const) {
    test(`with ${status} of ${method} is followed`, async () => {
      const body = method === 'GET' || method === 'HEAD' ? undefined : { a: 1 }
      const response = await redirect(status, '/x').request(method, '/dir/page', { body })
      const next = await response.follow()
      assert.equal(next.text, expected)
      if (method === 'HEAD') assert.equal(next.request.method, 'HEAD')
    })
  }

  test('with the same body keeps its type', async () => {
    const response = await redirect('308 Permanent Redirect', '/x').postJson('/dir/page', 1)
    assert.equal((await response.follow()).request.headers.get('content-type'), 'application/json')
  })

  for (const [location, uri] of [
    ['other', '/dir/other'],
    ['../x', '/x'],
    ['?q', '/dir/page?q'],
    ['http://localhost/x#part', '/x'],
    ['//www.localhost/x', '/x'],
  ] as const) {
    test(`to ${location} leads to ${uri}`, async () => {
      const response = await redirect('302 Found', location).get('/dir/page')
      assert.equal((await response.follow()).request.target, uri)
    })
  }

  for (const location of ['https://other.example/', '//xlocalhost/', 'mailto:a@b.c']) {
    test(`to ${location} is not followed`, async () => {
      const response = await redirect('302 Found', location).get('/dir/page')
      await assert.rejects(response.follow(), /leads to another site/)
    })
  }

  test('requires a Location and a redirect status', async () => {
    await assert.rejects((await page('')).follow(), /is not a redirect\nGET /)
    const app = new TestApp(
      site({
        '/': ['302 Found', []],
        '/c': [
          '201 Created',
          [
            ['Content-Type', 'text/plain'],
            ['Location', '/x'],
          ],
        ],
      }),
    )
    await assert.rejects((await app.get('/')).follow(), /is not a redirect/)
    await assert.rejects((await app.get('/c')).follow(), /is not a redirect/)
  })

  test('cannot send a stream again', async () => {
    async function* chunks() {
      yield new Uint8Array(1)
    }
    const response = await redirect('307 Temporary Redirect', '/x').post('/dir/page', chunks())
    await assert.rejects(response.follow(), /read only once/)
  })

  test('sends the cookies of its response', async () => {
    const app = new TestApp(
      site({
        '/in': [
          '303 See Other',
          [
            ['Location', '/x'],
            ['Set-Cookie', 'a=1; Path=/'],
          ],
        ],
      }),
    )
    const response = await (await app.post('/in')).follow()
    assert.equal(response.request.headers.get('cookie'), 'a=1')
  })

  test('after redirect is followed to the end', async () => {
    const app = new TestApp(
      site({ '/1': ['302 Found', [['Location', '/2']]], '/2': ['303 See Other', [['Location', '/3']]] }),
    )
    const first = await app.get('/1')
    assert.equal((await first.followAll({ status: 200 })).request.target, '/3')
    await assert.rejects(first.followAll({ status: 404 }), /not 404/)
    const end = await app.get('/3')
    assert.equal(await end.followAll(), end)
  })

  test('in a loop raises an error', async () => {
    const response = await redirect('302 Found', '/dir/page').get('/dir/page')
    await assert.rejects(response.followAll(), /more than 20 redirects/)
  })
})
