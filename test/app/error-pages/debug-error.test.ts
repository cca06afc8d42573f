import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { isAbsolute } from 'node:path'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { toFetch } from 'propylon/fetch'

function failing() {
  throw new TypeError('failed')
}

class PagesController extends WSGIController {
  echo(id: string) {
    throw new Error(id)
  }
  show(year: string, token: string) {
    try {
      JSON.parse('{')
    } catch (cause) {
      throw new RangeError(`${year} is out of range\nThe first is 2000.`, { cause: cause ?? token })
    }
  }
  thrown() {
    throw 'only text'
  }
  template() {
    return this.render('list', { posts: 1 })
  }
  calling() {
    return this.render('call', { failing })
  }
  missing() {
    return this.render('lits')
  }
  sorted() {
    new EventEmitter().on('sort', (a, b) => this.compare(a, b)).emit('sort', 2, 1)
  }
  placed() {
    const error = new Error('See /app/src/app/x.ts and /srv/app/y.ts')
    error.stack = `Error: ${error.message}\n    at one (file:///app/src/app/x.ts:1:2)\n    at two (/srv/app/y.ts:3:4)`
    throw error
  }
  private compare(a: number, b: number): number {
    throw new TypeError(
      `${a} and ${b} cannot be compared, because neither of them says by which of its members it is sorted. Give one of them a name, which is a long sentence too.`,
    )
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('dated', '/{year:\\d+}/{token}', { controller: 'pages', action: 'show' })
    .connect('/ghost', { controller: 'pagse', action: 'index' })
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id:.*}'),
  controllers: { pages: PagesController },
  templates: {
    'call.eta': '<%= it.failing() %>',
    'list.eta': '<ul>\n<% for (const post of it.posts) { %>\n<li>\n<% } %>',
  },
  debug: true,
  logger: { info() {}, warn() {}, error() {} },
})

async function get(path: string, headers: Record<string, string> = { Accept: 'text/html' }) {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers }))
  return { response, text: await response.text() }
}

describe('the page for an error', () => {
  it('shows the call of render() for a template that does not exist', async () => {
    const { text } = await get('/pages/missing')
    assert.match(text, /no template &quot;lits&quot; in [^<]*; did you mean &quot;list&quot;\?/)
    assert.match(text, /<mark>&gt; *\d+ \| {5}return this\.render\(&#39;lits&#39;\)/)
  })

  it('escapes the message in title and heading', async () => {
    const { text } = await get(`/pages/echo/${encodeURIComponent('a</title><script>alert(1)</script>')}`)
    assert.doesNotMatch(text, /<script/)
    assert.match(text, /<title>a&lt;\/title&gt;&lt;script&gt;/)
  })

  it('has a policy that allows only its own style and scripts with its nonce', async () => {
    const policies = new Set<string>()
    for (let time = 0; time < 2; time++) {
      const { response, text } = await get('/pages/thrown')
      const policy = response.headers.get('Content-Security-Policy') ?? ''
      const nonce = /script-src 'nonce-([0-9a-f]{32})'/.exec(policy)?.[1]
      assert.match(policy, /^default-src 'none'; /)
      assert.doesNotMatch(policy, /unsafe|\*/)
      assert.ok(text.includes(`<style nonce="${nonce}">`))
      policies.add(policy)
    }
    assert.equal(policies.size, 2)
  })

  it('is not stored, and differs by Accept', async () => {
    const { response } = await get('/pages/thrown')
    assert.equal(response.headers.get('Cache-Control'), 'no-store')
    assert.equal(response.headers.get('X-Content-Type-Options'), 'nosniff')
    assert.equal(response.headers.get('Vary'), 'Accept')
  })

  it('adapts to narrow windows and dark schemes', async () => {
    const { text } = await get('/pages/thrown')
    assert.match(text, /<meta name="viewport" content="width=device-width/)
    assert.match(text, /<meta name="color-scheme" content="light dark">/)
  })

  it('has the first line of the message as its heading, and the rest below', async () => {
    const { text } = await get('/2024/x')
    assert.match(text, /<h1>2024 is out of range<\/h1>/)
    assert.match(text, /<p>The first is 2000\.<\/p>/)
  })

  it('has the first sentence of a long line as its heading', async () => {
    const { text } = await get('/pages/sorted')
    assert.match(text, /<h1>2 and 1 cannot be compared, .* it is sorted<\/h1>/)
    assert.match(text, /<title>.{79}…<\/title>/)
    assert.match(text, /<p>Give one of them a name, which is a long sentence too\.<\/p>/)
  })

  it('suggests the action and the controller that were meant, and names the explanation', async () => {
    const action = (await get('/pages/shwo')).text
    assert.match(action, /<h1>Action Not Found: PagesController has no action &quot;shwo&quot;<\/h1>/)
    assert.match(action, /<p>Did you mean &quot;show&quot;\? Its actions: /)
    assert.match(action, /<code>ACTION_NOT_FOUND<\/code> in <code>[\w/.-]+\/error-codes\.md<\/code>/)
    assert.doesNotMatch(action, /<h2>Stack/)
    assert.match((await get('/ghost')).text, /<p>Did you mean &quot;pages&quot;\? Existing controllers: pages/)
  })

  it('shows the source of the error and of its causes', async () => {
    const { text } = await get('/2024/x')
    assert.match(text, /<mark>&gt; \d+ \| {7}throw new RangeError\(/)
    assert.match(text, /Caused by SyntaxError/)
    assert.match(text, /<mark>&gt; \d+ \| {7}JSON\.parse\(/)
  })

  it('shows the route, the match and the arguments', async () => {
    const { text } = await get('/2024/x')
    for (const [name, value] of [
      ['Route', 'dated /{year:\\d+}/{token}'],
      ['Action', 'PagesController.show'],
      ['controller', '&quot;pages&quot;'],
    ]) {
      assert.ok(text.includes(`<th scope="row">${name}</th><td><code>${value}</code>`), name)
    }
    assert.match(text, /<h2>Arguments<\/h2>[\s\S]*>year<\/th><td><code>&quot;2024&quot;/)
  })

  it('shows the request without its secrets', async () => {
    const headers = {
      Accept: 'text/html',
      Authorization: 'Basic s3cret',
      Cookie: 'session=s3cret',
      Referer: 'http://localhost/?token=s3cret&page=2',
      'X-Api-Key': 's3cret',
      'X-Trace': 'visible',
    }
    const { text } = await get('/2024/s3cret?access_token=s3cret&page=3', headers)
    assert.match(text, /Request[\s\S]*Method[\s\S]*>GET<[\s\S]*URL[\s\S]*page=3[\s\S]*page=2[\s\S]*visible/)
    assert.doesNotMatch(text, /Client/)
    const path = text.replaceAll('/2024/s3cret', '')
    assert.doesNotMatch(path, /s3cret/)
  })

  it('has one line as the heading for an error in a template, and the excerpt as its source', async () => {
    const { text } = await get('/pages/template')
    const heading = /<h1>([\s\S]*?)<\/h1>/.exec(text)?.[1] ?? ''
    assert.match(heading, /^it\.posts is not iterable$/)
    assert.match(text, /<p class="path">list\.eta:2(?::\d+)?<\/p><pre[^>]*><code>[\s\S]*?<mark>&gt; 2 \| &lt;% for/)
  })

  it('has the frames of a function that a template calls, once', async () => {
    const { text } = await get('/pages/calling')
    const stack = text.split('<h2>Stack</h2>')[1]?.split('</section>')[0] ?? ''
    assert.match(stack, /<code>Object\.failing<\/code>[\s\S]*<code>PagesController\.calling<\/code>/)
    assert.match(text, /<p class="path">call\.eta:1<\/p>/)
    assert.doesNotMatch(text, /Caused by/)
  })

  it('shortens the paths below the working directory, and no others', async (t) => {
    t.mock.method(process, 'cwd', () => '/app')
    const { text } = await get('/pages/placed')
    assert.match(text, /See src\/app\/x\.ts and \/srv\/app\/y\.ts</)
    assert.deepEqual(text.match(/(?<=class="path dim">)[^<]*/g), ['src/app/x.ts:1:2', '/srv/app/y.ts:3:4'])
  })

  it('has all frames of the application first, and the others folded behind them', async () => {
    const { text } = await get('/pages/sorted')
    const stack = text.split('<h2>Stack</h2>')[1]?.split('</section>')[0] ?? ''
    const [own = '', folded = ''] = stack.split('<li class="dim">')
    assert.match(own, /PagesController\.compare<[\s\S]*\.sorted</)
    assert.doesNotMatch(own, /node:events/)
    assert.match(folded, /node:events/)
    const [, count, lines = ''] =
      /<summary>(\d+) frames of packages and the runtime<\/summary><ol>([\s\S]*?)<\/ol>/.exec(folded) ?? []
    assert.equal(lines.match(/<li>/g)?.length, Number(count))
  })

  it('has paths relative to the working directory', async () => {
    const { text } = await get('/pages/sorted')
    const places = [...text.matchAll(/class="path(?: dim)?">(.*?:\d+:\d+)</g)].map(([, place = '']) => place)
    assert.match(places[0] ?? '', /^test\/app\/error-pages\/debug-error\.test\.ts:/)
    assert.deepEqual(places.filter(isAbsolute), [])
    assert.match(text, /Defined at<\/th><td><code>test\/app\/error-pages\//)
  })

  it('shows the address of the client', async () => {
    const request = new Request('http://localhost/pages/thrown', { headers: { Accept: 'text/html' } })
    const response = await toFetch(app)(request, { remoteAddr: { hostname: '192.0.2.7' } })
    assert.match(await response.text(), /Client[\s\S]*192\.0\.2\.7/)
  })

  it('shows the kind of the error beside the status', async () => {
    assert.match(
      (await get('/2024/x')).text,
      /<p class="status">500 Internal Server Error <span>RangeError<\/span><\/p>/,
    )
    assert.match((await get('/pages/thrown')).text, /<p class="status">500 Internal Server Error<\/p>/)
  })

  it('shows a thrown value that is not an error', async () => {
    assert.match((await get('/pages/thrown')).text, /<h1>[^<]*only text<\/h1>/)
  })

  it('shows no file that the message names as if it were a frame', async () => {
    const path = encodeURIComponent('x\n    at f (/etc/passwd:1:1)')
    assert.doesNotMatch((await get(`/pages/echo/${path}`)).text, /root:/)
  })

  it('is text for programs', async () => {
    const { response, text } = await get('/2024/x', { Accept: '*/*' })
    assert.equal(response.status, 500)
    assert.equal(response.headers.get('Content-Type'), 'text/plain; charset=utf-8')
    assert.match(text, /^500 Internal Server Error\n\nRangeError: 2024 is out of range\n/)
  })

  it('is a problem document for programs that accept JSON', async () => {
    const { response, text } = await get('/2024/x', { Accept: 'application/json' })
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json')
    const { status, title, detail, stack, route, action } = JSON.parse(text)
    assert.deepEqual(
      [status, title, detail, route, action],
      [
        500,
        'Internal Server Error',
        'RangeError: 2024 is out of range',
        'dated /{year:\\d+}/{token}',
        'PagesController.show',
      ],
    )
    assert.match(stack[2], /^ {4}at PagesController\.show/)
  })
})
