import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { GenerationError, Mapper } from 'propylon/routing'

const text = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.string({
    minLength: 1,
    unit: fc.constantFrom(
      'a',
      '.',
      '/',
      ';',
      '%',
      '日',
      '2',
      'F',
      '-',
      ' ',
      '+',
      '?',
      '#',
      '\\',
      ':',
      '😀',
      'new',
      '.json',
    ),
  }),
)
const isDots = (value: string) => value === '.' || value === '..'

describe('what is generated matches back to the same values', () => {
  const map = new Mapper()
    .resource('user', 'users')
    .connect('suffixed', '/suffixed/{id}{.format}', { action: 'x' })
    .connect('pair', '/pair/{a}-{b}', { action: 'x' })
    .connect('deep', '/deep/{path:.*}', { action: 'x' })
    .connect('amid', '/amid/{path:.+}/of/{b}', { action: 'x' })
    .connect('café', '/café/{größe}/x', { action: 'x' })

  test('a member of a resource', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('user', 'edit_user'), (id, route) => {
        fc.pre(!isDots(id) && id !== 'new')
        const match = map.match(map.url(route as 'user', { id }), { method: 'GET' })
        assert.deepEqual([match?.id, match?.format], [id, undefined])
      }),
    )
  })

  test('a member with a format', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('formatted_user', 'formatted_edit_user'), (id, route) => {
        fc.pre(id !== 'new')
        const match = map.match(map.url(route as 'formatted_user', { id, format: 'json' }), { method: 'GET' })
        assert.deepEqual([match?.id, match?.format], [id, 'json'])
      }),
    )
  })

  test('an optional suffix', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('html', 'json', null), (id, format) => {
        fc.pre(!isDots(id))
        const match = map.match(map.url('suffixed', { id, format }))
        assert.deepEqual([match?.id, match?.format], [id, format])
      }),
    )
  })

  test('two values in one segment', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const match = map.match(map.url('pair', { a, b }))
        assert.deepEqual([match?.a, match?.b], [a, b])
      }),
    )
  })

  test('values over several segments', () => {
    fc.assert(
      fc.property(text, text, (path, b) => {
        fc.pre(!path.split('/').some(isDots) && !isDots(b))
        assert.equal(map.match(map.url('deep', { path }))?.path, path)
        const match = map.match(map.url('amid', { path: `x${path}`, b }))
        assert.deepEqual([match?.path, match?.b], [`x${path}`, b])
      }),
    )
  })

  test('through a client’s idea of URLs, too', () => {
    fc.assert(
      fc.property(text, (größe) => {
        fc.pre(!isDots(größe))
        const url = new URL(map.url('café', { größe }), 'http://localhost')
        assert.equal(map.match(url.pathname)?.größe, größe)
      }),
    )
  })
})

describe('by name', () => {
  const map: Mapper = new Mapper()
    .connect('home', '/', { controller: 'pages', action: 'index' })
    .connect('paged', '/pages/{page}', { page: '1' })
    .connect('posts', '/posts{.format}', { conditions: { method: 'GET' } })
    .connect('file', '/files/{path:.*}')
    .connect('year', '/{year:\\d{4}}')
    .connect('either', '/in/{lang}', { requirements: { lang: 'de|en' } })
    .connect('shop', 'https://shop.example/{item}?from=us', { static: true })
    .connect('css', '/static/main.css', { static: true })
    .connect('rooted', '/rooted', { absolute: true })
    .connect('filtered', '/filtered/{id}', { filter: (values) => ({ ...values, id: `${values.id}!` }) })

  const table: [title: string, url: string, expected: string][] = [
    ['a static path', map.url('home'), '/'],
    ['more values go to the query', map.url('home', { q: 'a b&c', n: 1, ok: true }), '/?q=a+b%26c&n=1&ok=true'],
    ['lists repeat', map.url('home', { q: ['a', 'b', null], r: [] }), '/?q=a&q=b'],
    ['null and undefined are left out', map.url('home', { q: null, r: undefined }), '/'],
    ['controller and action never go to the query', map.url('home', { controller: 'pages' }), '/'],
    ['even if the route has none', map.url('paged', { controller: 'a', action: 'b' }), '/pages/1'],
    ['null for a default is none', map.url('home', { action: null }), '/'],
    ['a method where any is taken', map.url('home', { method: 'PUT' }), '/'],
    ['an anchor of a raw path', map.url('/raw', { anchor: 'top' }), '/raw#top'],
    [
      'a parameter that is named as a part of a URL',
      new Mapper().connect('h', '/{host}/{method}').url('h', { host: 'a', method: 'b' }),
      '/a/b',
    ],
    ['a default stands in', map.url('paged'), '/pages/1'],
    ['a suffix is left out', map.url('posts'), '/posts'],
    ['a suffix is given', map.url('posts', { format: 'json' }), '/posts.json'],
    ['slashes pass where they may', map.url('file', { path: 'a/b c' }), '/files/a/b%20c'],
    [
      'all but unreserved characters are encoded',
      map.url('file', { path: "!*'();:@&=$,~" }),
      '/files/%21%2A%27%28%29%3B%3A%40%26%3D%24%2C~',
    ],
    ['a number', map.url('year', { year: 2026 }), '/2026'],
    ['an anchor', map.url('home', { anchor: 'über uns' }), '/#%C3%BCber%20uns'],
    ['an anchor behind the query', map.url('home', { anchor: 'x', q: 1 }), '/?q=1#x'],
    ['a host', map.url('home', { host: 'example.com' }), 'http://example.com/'],
    ['a host and a protocol', map.url('home', { host: 'example.com', protocol: 'https' }), 'https://example.com/'],
    ['no protocol', map.url('home', { host: 'example.com', protocol: '' }), '//example.com/'],
    [
      'names with an underscore are ordinary',
      map.url('home', { host_: 'a', method_: 'b', anchor_: 'c' }),
      '/?anchor=c&host=a&method=b',
    ],
    [
      'a static route to another site',
      map.url('shop', { item: 'a b', n: 1 }),
      'https://shop.example/a%20b?from=us&n=1',
    ],
    ['a static route here', map.url('css'), '/static/main.css'],
    ['a filter', map.url('filtered', { id: 1 }), '/filtered/1%21'],
    ['a method that the route takes', map.url('posts', { method: 'get' }), '/posts'],
    ['a raw path', map.url('/raw?x=1', { y: 2 }), '/raw?x=1&y=2'],
    ['a raw URL', map.url('https://example.com/x', { y: 2 }), 'https://example.com/x?y=2'],
    ['a raw path with a fragment', map.url('/raw?x=1#top', { y: 2 }), '/raw?x=1&y=2#top'],
  ]
  for (const [title, url, expected] of table) test(title, () => assert.equal(url, expected))

  const failures: Record<string, [code: string, parameter: string | undefined, () => string]> = {
    'an unknown name': ['E_ROUTE_UNKNOWN', undefined, () => new Mapper().url('homme')],
    'a missing value': ['E_PARAMETER_MISSING', 'year', () => map.url('year', JSON.parse('{}'))],
    'a null for a value': ['E_PARAMETER_MISSING', 'year', () => map.url('year', JSON.parse('{"year":null}'))],
    'a value against its regular expression': ['E_PARAMETER_INVALID', 'year', () => map.url('year', { year: '26' })],
    'an alternation holds as a whole': ['E_PARAMETER_INVALID', 'lang', () => map.url('either', { lang: 'denglish' })],
    'an empty value': ['E_PARAMETER_INVALID', 'page', () => map.url('paged', { page: '' })],
    'an unknown format': ['E_PARAMETER_INVALID', 'format', () => map.url('posts', { format: 'xml' })],
    'an object': ['E_PARAMETER_INVALID', 'page', () => map.url('paged', JSON.parse('{"page":{}}'))],
    'a lone surrogate': ['E_PARAMETER_INVALID', 'page', () => map.url('paged', { page: '\ud800' })],
    'another value than the route’s own': ['E_PARAMETER_INVALID', 'action', () => map.url('home', { action: 'other' })],
    'a method that the route does not take': [
      'E_METHOD_NOT_ALLOWED',
      'method',
      () => map.url('posts', { method: 'PUT' }),
    ],
    'a qualified URL without a host': ['E_HOST', 'host', () => map.url('home', { qualified: true })],
    'a host that is none': ['E_HOST', 'host', () => map.url('home', { host: 'a/b' })],
    'a dot for a segment': ['E_PARAMETER_INVALID', undefined, () => map.url('paged', { page: '..' })],
    'dots within a path': ['E_PARAMETER_INVALID', undefined, () => map.url('file', { path: 'a/../b' })],
  }
  for (const [title, [code, parameter, call]] of Object.entries(failures)) {
    test(`${title} is an error with its code`, () => {
      assert.throws(call, (error) => {
        assert.ok(error instanceof GenerationError)
        assert.deepEqual([error.code, error.parameter], [code, parameter])
        assert.match(error.message, /^.{15,}\n {2}fix: .{15,}$/)
        return true
      })
    })
  }

  test('the error names route, parameter and pattern', () => {
    assert.throws(() => map.url('year', { year: 'x' }), {
      route: 'year',
      parameter: 'year',
      pattern: '\\d{4}',
      value: 'x',
    })
  })

  test('the error names the method, the other default or the name', () => {
    const wrong: [call: () => string, message: RegExp][] = [
      [() => map.url('posts', { method: 'put' }), /does not take PUT, only GET\./],
      [() => map.url('home', { action: 'other' }), /has action = "index", but the value "other" is given\./],
      [() => new Mapper().url('homme'), /There is no route named "homme"\./],
      [() => map.url({ controller: 'none' }), /No route fits \{"controller":"none"\}\./],
      [() => map.url('home', { host: 'a/b' }), /"a\/b" is not a host\./],
      [() => map.url('home', { qualified: true }), /URL for "\/" needs a host/],
    ]
    for (const [call, message] of wrong) assert.throws(call, { message })
  })

  test('values that cannot be separated are refused', () => {
    const glued = new Mapper().connect('glued', '/{a}{b}')
    assert.throws(() => glued.url('glued', { a: 'xy', b: 'z' }), { code: 'E_PARAMETER_INVALID' })
    assert.equal(glued.url('glued', { a: 'x', b: 'yz' }), '/xyz')
  })

  test('a value never makes a URL of another host', () => {
    const open = new Mapper().connect('any', '/{path:.*}')
    assert.equal(open.url('any', { path: '/evil.example' }), '/%2Fevil.example')
    assert.equal(open.match('/%2Fevil.example')?.path, '/evil.example')
  })

  for (const path of ['/{first:.*}/{rest}', '/{first:[^/]*}/{rest}', '/{.first}/{rest}']) {
    test(`a value never makes a URL of another host: an empty one in ${path}`, () => {
      const map = new Mapper({ formats: null }).connect('n', path)
      assert.throws(() => map.url('n', { first: '', rest: 'evil.example' } as never), {
        code: 'E_PARAMETER_INVALID',
        message: /"\/\/evil\.example", the URL of another host/,
      })
    })
  }

  test('the page of a resource is no id', () => {
    assert.throws(() => new Mapper().resource('user', 'users').url('user', { id: 'new' }), {
      code: 'E_PARAMETER_INVALID',
    })
    assert.equal(new Mapper().resource('user', 'users', { except: ['new'] }).url('user', { id: 'new' }), '/users/new')
  })

  test('of a name used twice the last definition holds', () => {
    assert.equal(new Mapper().connect('a', '/1').connect('a', '/2').url('a'), '/2')
  })

  test('values from a prototype are none', () => {
    assert.throws(() => new Mapper().connect('a', '/{toString}').url('a', {} as never), {
      code: 'E_PARAMETER_MISSING',
    })
  })
})

test('names the option formats for an unknown format', () => {
  const map = new Mapper().connect('articles', '/articles{.format}').resource('user', 'users')
  for (const [name, values] of [
    ['articles', { format: 'atom' }],
    ['formatted_user', { id: 1, format: 'atom' }],
  ] as const) {
    assert.throws(() => map.url(name, values), {
      code: 'E_PARAMETER_INVALID',
      message: /new Mapper\(\{ formats: \['html', 'json', 'atom'\] \}\)/,
    })
  }
})

describe('by controller and action', () => {
  const map = new Mapper()
    .connect('/archive/{year}/{month}', { controller: 'blog', action: 'view' })
    .connect('/archive/{year}', { controller: 'blog', action: 'view' })
    .connect('/blog', { controller: 'blog', action: 'index' })
    .resource('user', 'users')
    .connect('/{controller}', { action: 'index' })
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id}')
  const table: [values: Record<string, string | number>, expected: string][] = [
    [{ controller: 'blog', action: 'view', year: 2026 }, '/archive/2026'],
    [{ controller: 'blog', action: 'view', year: 2026, month: 5 }, '/archive/2026/5'],
    [{ controller: 'blog', action: 'view', year: 2026, day: 5 }, '/archive/2026?day=5'],
    [{ controller: 'blog' }, '/blog'],
    [{ controller: 'users', action: 'show', id: 'joe' }, '/users/joe'],
    [{ controller: 'users', action: 'create' }, '/users'],
    [{ controller: 'users', action: 'other' }, '/users/other'],
    [{ controller: 'admin/panel', action: 'x', id: 1 }, '/admin/panel/x/1'],
    [{ controller: 'hello' }, '/hello'],
  ]
  for (const [values, expected] of table) {
    test(`${JSON.stringify(values)} is ${expected}`, () => assert.equal(map.url(values), expected))
  }

  test('takes the next best route if a value does not match', () => {
    const own = { controller: 'c', action: 'a' }
    const both = new Mapper().connect('/n/{id:\\d+}', own).connect('/t/{id}', own)
    assert.deepEqual([both.url({ ...own, id: 1 }), both.url({ ...own, id: 'x' })], ['/n/1', '/t/x'])
  })

  test('takes the route with the fewest values that are not given', () => {
    const own = { controller: 'c', action: 'a' }
    const both = new Mapper().connect('/q', { ...own, page: 1 }).connect('/p', own)
    assert.deepEqual(
      [both.url(own), both.url({ ...own, page: 1 }), both.url({ ...own, page: null })],
      ['/p', '/q', '/p'],
    )
  })

  test('takes neither a static route nor a redirect', () => {
    const own = { controller: 'c', action: 'a' }
    const served = new Mapper()
      .connect('/static', { ...own, static: true })
      .redirect('/old/{id}', '/new/{id}')
      .connect('/served', own)
      .connect('/new/{id}')
    assert.deepEqual([served.url(own), served.url({ id: 1 })], ['/served', '/new/1'])
  })

  test('no such route is an error', () => {
    const few = new Mapper().connect('/a', { controller: 'a', action: 'index' })
    assert.throws(() => few.url({ controller: 'b' }), { code: 'E_ROUTE_NOT_FOUND' })
  })
})

describe('for a request', () => {
  const map = new Mapper()
    .connect('home', '/', { controller: 'pages', action: 'index' })
    .connect('rooted', '/rooted', { absolute: true })
    .connect('shop', 'https://shop.example/', { static: true })
    .connect('/{controller}/{action}/{id}')
  const [match, route] = map.routematch('/blog/view/5') ?? []
  assert.ok(match && route)
  const url = map.generator({
    scriptName: '/my app',
    host: 'example.com:8080',
    scheme: 'https',
    match,
    route,
    query: 'p=1&q=a%20b&p=2',
  })
  const table: [title: string, url: string, expected: string][] = [
    ['the mount point stands in front', url('home'), '/my%20app/'],
    ['but not of an absolute route', url('rooted'), '/rooted'],
    ['nor of another site', url('shop'), 'https://shop.example/'],
    ['but of a raw path', url('/x'), '/my%20app/x'],
    ['even if a URL is in its query', url('/x?next=http://a.b/'), '/my%20app/x?next=http://a.b/'],
    ['nor of a URL without a scheme', url('//cdn.example/x'), '//cdn.example/x'],
    ['a qualified URL', url('home', { qualified: true }), 'https://example.com:8080/my%20app/'],
    ['another protocol drops the port', url('home', { protocol: 'http' }), 'http://example.com/my%20app/'],
    ['the same protocol keeps it', url('home', { protocol: 'https' }), 'https://example.com:8080/my%20app/'],
    [
      'a qualified URL of another protocol keeps the port',
      url('home', { qualified: true, protocol: 'http' }),
      'http://example.com:8080/my%20app/',
    ],
    ['another host', url('home', { host: 'other.example' }), 'https://other.example/my%20app/'],
    [
      'another host with its port, and another protocol',
      url('home', { host: 'other.example:81', protocol: 'http' }),
      'http://other.example:81/my%20app/',
    ],
    ['the current URL of another controller', url.current({ controller: 'news' }), '/my%20app/news/index/5'],
    ['the current URL', url.current(), '/my%20app/blog/view/5'],
    ['with another value', url.current({ id: 6 }), '/my%20app/blog/view/6'],
    ['with a value for the query', url.current({ page: 2 }), '/my%20app/blog/view/5?page=2'],
    ['with its query', url.current({}, { query: true }), '/my%20app/blog/view/5?p=1&q=a%20b&p=2'],
    ['with its query changed', url.current({ p: 3 }, { query: true }), '/my%20app/blog/view/5?p=3&q=a%20b'],
    ['with a part of its query taken away', url.current({ p: null }, { query: true }), '/my%20app/blog/view/5?q=a%20b'],
    ['the present controller is understood', url({ action: 'edit', id: 5 }), '/my%20app/blog/edit/5'],
  ]
  for (const [title, given, expected] of table) test(title, () => assert.equal(given, expected))

  test('another protocol drops the port of an IPv6 host', () => {
    const local = map.generator({ host: '[::1]:8080', scheme: 'http' })
    assert.equal(local('home', { protocol: 'https' }), 'https://[::1]/')
  })

  test('the current URL keeps keys of the query that are not given', () => {
    const query = 'page=1&a+b=2&%zz=3&pages=4'
    const current = map.generator({ match, route, query }).current
    assert.equal(current({ page: null, 'a b': null }, { query: true }), '/blog/view/5?%zz=3&pages=4')
    assert.equal(map.generator({ match, route }).current({}, { query: true }), '/blog/view/5')
  })

  test('the current URL stays on its route', () => {
    const own = { controller: 'c', action: 'a' }
    const both = new Mapper().connect('/first/{id}', own).connect('/second/{id}', own)
    const [match, route] = both.routematch('/second/1') ?? []
    assert.equal(both.generator({ match, route }).current({ id: 2 }), '/second/2')
  })

  test('current() of an unknown name is an error', () => {
    assert.throws(() => Reflect.apply(url.current, undefined, ['homme']), { code: 'E_ROUTE_UNKNOWN' })
  })

  test('a mount point that begins with two slashes does not become a host', () => {
    const mounted = map.generator({ scriptName: '//evil.example', host: 'example.com', match, route })
    assert.equal(mounted('home'), '/.//evil.example/')
    assert.equal(mounted('/x'), '/.//evil.example/x')
    assert.equal(mounted.current(), '/.//evil.example/blog/view/5')
    assert.equal(new URL(mounted('home'), 'http://example.com').href, 'http://example.com//evil.example/')
    assert.equal(mounted('home', { qualified: true }), 'http://example.com//evil.example/')
  })
})

describe('sub-domains', () => {
  const map = new Mapper({ subDomains: true, subDomainsIgnore: ['www'] }).connect('home', '/')
  const table: Record<string, [bob: string, none: string, www: string, fred: string]> = {
    'example.com': ['http://bob.example.com/', '/', '/', 'http://fred.example.com/'],
    'fred.example.com': ['http://bob.example.com/', 'http://example.com/', 'http://example.com/', '/'],
    'www.example.com': ['http://bob.example.com/', '/', '/', 'http://fred.example.com/'],
    'fred.example.com:8080': [
      'http://bob.example.com:8080/',
      'http://example.com:8080/',
      'http://example.com:8080/',
      '/',
    ],
  }
  for (const [host, expected] of Object.entries(table)) {
    test(`from ${host}`, () => {
      const url = map.generator({ host })
      assert.deepEqual(
        ['bob', null, 'www', 'fred'].map((subDomain) => url('home', { subDomain })),
        expected,
      )
    })
  }
})

test('URLs with an appended slash match back to the same values', () => {
  const map = new Mapper({ appendSlash: true })
    .resource('u', 'us')
    .connect('post', '/{year:\\d+}/{slug}{.format}', { controller: 'posts', action: 'show' })
    .connect('root', '/', { controller: 'home', action: 'index' })
  const urls: [url: string, values: Record<string, string>][] = [
    [map.url('us'), { controller: 'us', action: 'index' }],
    [map.url('u', { id: 'a/b' }), { controller: 'us', action: 'show', id: 'a/b' }],
    [map.url('edit_u', { id: 7 }), { controller: 'us', action: 'edit', id: '7' }],
    [
      map.url('post', { year: 2026, slug: 'x', format: 'json' }),
      { controller: 'posts', action: 'show', slug: 'x', format: 'json' },
    ],
    [map.url('root'), { controller: 'home', action: 'index' }],
  ]
  for (const [url, values] of urls) {
    assert.ok(url.endsWith('/'))
    const resolution = map.resolve('GET', url)
    assert.ok(resolution.kind === 'match', url)
    for (const [name, value] of Object.entries(values)) assert.equal(resolution.match[name], value, url)
  }
  assert.equal(new Mapper({ appendSlash: true, trailingSlash: 'strict' }).connect('/a').match('/a/'), null)
})

test('append slash, prefix', () => {
  const map: Mapper = new Mapper({ appendSlash: true, prefix: '/v1' }).connect('a', '/a').connect('root', '/')
  assert.equal(map.url('a', { q: 1 }), '/v1/a/?q=1')
  assert.equal(map.url('root'), '/v1/')
  assert.notEqual(map.match('/v1/a'), null)
  assert.equal(map.match('/a'), null)
})
