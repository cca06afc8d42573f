import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Mapper, type MapperSettings, type Resolution, type RouteContext } from 'propylon/routing'

function name(resolution: Resolution): string {
  if (resolution.kind === 'match') return resolution.route.name ?? resolution.route.path
  if (resolution.kind === 'method') return `405 ${resolution.allow.join(' ')}`
  return resolution.kind === 'redirect' ? `${resolution.status} ${resolution.location}` : 'none'
}

describe('what is defined first is matched first', () => {
  const orders: [string[], string, string][] = [
    [['/{a}/{b}', '/foo/bar'], '/foo/bar', '/{a}/{b}'],
    [['/foo/bar', '/{a}/{b}'], '/foo/bar', '/foo/bar'],
    [['/foo/{x}', '/foo/bar'], '/foo/bar', '/foo/{x}'],
    [['/foo{x}', '/foobar'], '/foobar', '/foo{x}'],
    [['/{p:.*}', '/a'], '/a', '/{p:.*}'],
    [['/a/{x:\\d+}', '/a/{y}'], '/a/b', '/a/{y}'],
    [['/a/{y}', '/a/{x:\\d+}'], '/a/1', '/a/{y}'],
    [['/{x}.{y}', '/{z}'], '/a.b', '/{x}.{y}'],
    [['/{z}', '/{x}.{y}'], '/a.b', '/{z}'],
    [['/{p:.*}/end', '/a/{x}', '/a/end'], '/a/end', '/{p:.*}/end'],
  ]
  for (const [paths, path, expected] of orders) {
    test(`${paths.join(', then ')}: ${path} is ${expected}`, () => {
      const map = new Mapper()
      for (const one of paths) map.connect(one)
      assert.equal(name(map.resolve('GET', path)), expected)
    })
  }

  const alike: [title: string, map: Mapper, method: string, path: string, expected: string][] = [
    [
      'formats',
      new Mapper()
        .connect('first', '/p{.format}', { formats: ['json'] })
        .connect('second', '/p{.format}', { formats: ['xml'] }),
      'GET',
      '/p.xml',
      'second',
    ],
    [
      'requirements',
      new Mapper().connect('first', '/{x:\\d+}').connect('second', '/{x:[a-z]+}'),
      'GET',
      '/a',
      'second',
    ],
    [
      'reserved ids',
      new Mapper().resource('user', 'users').connect('second', '/users/{x}'),
      'PUT',
      '/users/new',
      'second',
    ],
  ]
  for (const [title, map, method, path, expected] of alike) {
    test(`two routes that differ only in ${title} are told apart`, () =>
      assert.equal(name(map.resolve(method, path)), expected))
  }

  test('whatever the routes: the tree agrees with trying one by one', () => {
    const piece = fc.constantFrom('a', 'b', '{x}', '{x:\\d+}', 'a{x}', '{x}.b', '{x:.*}', '')
    const template = fc
      .array(piece, { minLength: 1, maxLength: 3 })
      .map((pieces) => `/${pieces.map((text, index) => text.replace('x', `x${index}`)).join('/')}`)
    const path = fc
      .array(fc.constantFrom('a', 'b', '1', 'a1', 'x.b', '', '%61', 'a%2Fb'), { minLength: 1, maxLength: 3 })
      .map((segments) => `/${segments.join('/')}`)
    fc.assert(
      fc.property(fc.array(template, { minLength: 1, maxLength: 12 }), path, (templates, path) => {
        const all = new Mapper({ rememberSites: false })
        for (const one of templates) all.connect(one)
        const first = templates.find((one) => new Mapper({ rememberSites: false }).connect(one).match(path))
        assert.equal(all.routematch(path)?.[1].path, first)
      }),
    )
  })

  test('whatever the routes, their methods and conditions: so do the match and what it allows', () => {
    const route = fc.record({
      path: fc.constantFrom('/a', '/{x}', '/{x:\\d+}', '/{x:.*}', '/a/b', '/a/{y}', '/{x}/b', '/{x}/{y}', '/a{x}'),
      method: fc.constantFrom('any', 'GET', 'POST', 'PUT', 'HEAD'),
      agrees: fc.constantFrom(undefined, undefined, true, false),
    })
    const define = (
      map: Mapper,
      { path, method, agrees }: { path: string; method: string; agrees?: boolean | undefined },
    ) =>
      map.connect(path, {
        conditions: { method, ...(agrees !== undefined && { function: () => agrees }) },
      })
    const asked = fc.constantFrom('/a', '/1', '/a/b', '/a/c', '/c/b', '/c/d', '/ab', '/a/b/c')
    fc.assert(
      fc.property(
        fc.array(route, { minLength: 1, maxLength: 10 }),
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
        asked,
        (routes, method, path) => {
          const all = new Mapper({ rememberSites: false })
          for (const one of routes) define(all, one)
          const alone = routes.map((one) => {
            const map = new Mapper({ rememberSites: false })
            define(map, one)
            return map.resolve(method, path)
          })
          const winner = alone.findIndex(({ kind }) => kind === 'match')
          const earlier = winner < 0 ? alone : alone.slice(0, winner)
          const allow = new Set(earlier.flatMap((one) => (one.kind === 'method' ? one.allow : [])))
          const found = all.resolve(method, path)
          const order = found.kind === 'match' ? all.routes.indexOf(found.route) : -1
          assert.equal(order, winner)
          const allowed = found.kind === 'match' || found.kind === 'method' ? found.allow : []
          assert.deepEqual(allowed, [...allow].sort())
        },
      ),
    )
  })
})

describe('methods', () => {
  const map = new Mapper()
    .connect('list', '/things', { conditions: { method: 'GET' } })
    .connect('make', '/things', { conditions: { method: ['post', 'PUT'] } })
    .connect('odd', '/odd', { conditions: { method: 'PURGE' } })
    .connect('head', '/headed', { conditions: { method: 'GET' } })
    .connect('explicit', '/headed', { conditions: { method: 'HEAD' } })
    .connect('options', '/optioned', { conditions: { method: 'OPTIONS' } })
    .connect('any', '/any')
    .connect('named any', '/named-any', { conditions: { method: 'any' } })

  const expectations: Record<string, string> = {
    'GET /things': 'list',
    'HEAD /things': 'list',
    'POST /things': 'make',
    'PUT /things': 'make',
    'DELETE /things': '405 GET HEAD OPTIONS POST PUT',
    'BREW /things': '405 GET HEAD OPTIONS POST PUT',
    'get /things': '405 GET HEAD OPTIONS POST PUT',
    'OPTIONS /things': '405 GET HEAD OPTIONS POST PUT',
    'GET /odd': '405 OPTIONS PURGE',
    'PURGE /odd': 'odd',
    'HEAD /headed': 'explicit',
    'GET /headed': 'head',
    'OPTIONS /optioned': 'options',
    'GET /optioned': '405 OPTIONS',
    'OPTIONS /any': 'any',
    'BREW /any': 'any',
    'BREW /named-any': 'named any',
    'GET /nothing': 'none',
    'OPTIONS /nothing': 'none',
  }
  for (const [request, expected] of Object.entries(expectations)) {
    const [method = '', path = ''] = request.split(' ')
    test(`${request}: ${expected}`, () => assert.equal(name(map.resolve(method, path)), expected))
  }

  test('a match of HEAD has the values of the route that names HEAD', () => {
    const both = new Mapper()
      .connect('/{x}', { conditions: { method: 'GET' } })
      .connect('/{y}', { conditions: { method: 'HEAD' } })
    assert.deepEqual({ ...both.match('/a', { method: 'HEAD' }) }, { y: 'a' })
  })

  test('a match has the methods that earlier routes would have allowed', () => {
    const resource = new Mapper().resource('user', 'users').connect('/{controller}/{action}')
    const resolution = resource.resolve('POST', '/users/joe')
    assert.equal(resolution.kind === 'match' && resolution.allow.join(), 'DELETE,GET,HEAD,OPTIONS,PUT')
    const plain = resource.resolve('PUT', '/users/joe')
    assert.deepEqual(plain.kind === 'match' && plain.allow, [])
  })

  test('methodsAt names no methods for a path that is too long, though a route is written just so', () => {
    const map = new Mapper({ maxPathLength: 3 }).connect('/abc', { conditions: { method: 'PUT' } })
    assert.deepEqual(map.methodsAt('/abc'), [])
  })

  test('methodsAt checks the conditions of a path without parameters', () => {
    const here = { method: 'PUT', subDomain: 'admin' } as const
    const map = new Mapper().connect('/abc', { conditions: here })
    assert.deepEqual(map.methodsAt('/abc', { host: 'admin.example.org' }), ['PUT'])
    assert.deepEqual(map.methodsAt('/abc', { host: 'www.example.org' }), [])
  })

  test('methodsAt lists what the routes name themselves', () => {
    const resource = new Mapper().resource('user', 'users').connect('/{controller}/{action}')
    assert.deepEqual(resource.methodsAt('/users/joe'), ['DELETE', 'GET', 'PUT'])
    assert.deepEqual(resource.methodsAt('/users/new'), ['GET'])
    assert.deepEqual(resource.methodsAt('/x/y'), [])
    assert.deepEqual(resource.methodsAt('/%zz'), [])
  })

  test('match without a method takes any route', () => {
    assert.equal(map.routematch('/things')?.[1].name, 'list')
    assert.equal(map.routematch('/things', { method: 'POST' })?.[1].name, 'make')
    assert.equal(map.routematch('/things', { method: 'DELETE' }), null)
  })
})

describe('condition functions', () => {
  const asked: string[] = []
  const map = new Mapper()
    .connect('refused', '/{x}', { conditions: { function: () => asked.push('refused') < 0 } })
    .connect('taken', '/{x}', {
      conditions: {
        function: (context: RouteContext, match) => {
          match.seen = String(context.environ)
          return match.x !== 'never'
        },
      },
    })
    .connect('later', '/a', { conditions: { function: () => asked.push('later') > 0 } })

  test('have the last word and may change the match', () => {
    const resolution = map.resolve('GET', '/a', { environ: 'environ' })
    assert.equal(name(resolution), 'taken')
    assert.deepEqual(resolution.kind === 'match' && { ...resolution.match }, { x: 'a', seen: 'environ' })
  })

  test('are not called for routes after the one that matches', () => assert.equal(asked.includes('later'), false))

  test('may match another path', () => {
    const asking: Mapper = new Mapper()
      .connect('/{x}', {
        conditions: {
          function: (_context, match) => asking.match('/inner/one/two')?.y === 'one' && match.x === 'outer',
        },
      })
      .connect('/inner/{y}/{z}')
    assert.deepEqual({ ...asking.match('/outer') }, { x: 'outer' })
  })

  test('that throw leave the mapper as it was', () => {
    const failing = new Mapper()
      .connect('/failing/{x}', {
        conditions: {
          function: () => {
            throw new Error('no')
          },
        },
      })
      .connect('/{y}/{z}')
    assert.throws(() => failing.match('/failing/1'), /^Error: no$/)
    assert.deepEqual({ ...failing.match('/a/b') }, { y: 'a', z: 'b' })
  })

  test('that refuse leave no 405 behind', () => {
    const post = new Mapper().connect('/x', { conditions: { method: 'POST', function: () => false } })
    assert.equal(name(post.resolve('GET', '/x')), 'none')
  })
})

describe('sub-domains', () => {
  const map = new Mapper({ subDomains: true, subDomainsIgnore: ['www'] })
    .connect('fred', '/', { conditions: { subDomain: 'fred' } })
    .connect('some', '/', { conditions: { subDomain: ['a.b', 'bob'] } })
    .connect('none', '/', { conditions: { subDomain: false } })
    .connect('any', '/', { conditions: { subDomain: true } })
  const hosts: Record<string, [route: string, subDomain: string | null]> = {
    'fred.example.com': ['fred', 'fred'],
    'fred.example.com:8080': ['fred', 'fred'],
    'bob.example.com': ['some', 'bob'],
    'a.b.example.com': ['some', 'a.b'],
    'c.example.com': ['any', 'c'],
    'example.com': ['none', null],
    'www.example.com': ['none', null],
    localhost: ['none', null],
    'localhost:5000': ['none', null],
    'FRED.Example.COM': ['fred', 'fred'],
    'fred.example.com.': ['fred', 'fred'],
    '127.0.0.1:5000': ['none', null],
    '[::1]:5000': ['none', null],
    '': ['none', null],
  }
  for (const [host, [route, subDomain]] of Object.entries(hosts)) {
    test(`${host || 'no host'} is ${subDomain ?? 'none'}`, () => {
      const resolution = map.resolve('GET', '/', { host })
      assert.equal(name(resolution), route)
      assert.equal(resolution.kind === 'match' && resolution.match.subDomain, subDomain)
    })
  }
})

describe('known controllers', () => {
  const map = new Mapper({
    controllerScan: () => ['users', 'admin/users', 'admin', 'my_thing', 'a_b', 'a-b'],
  })
    .connect('/{controller}{.format}')
    .connect('/{controller}/{action}')
  const paths: Record<string, [controller: string, action: string | undefined] | null> = {
    '/users': ['users', undefined],
    '/users.json': ['users', undefined],
    '/strangers': null,
    '/users/list': ['users', 'list'],
    '/admin/users/list': ['admin/users', 'list'],
    '/admin/users': ['admin/users', undefined],
    '/admin/users.json': ['admin/users', undefined],
    '/admin%2Fusers': null,
    '/my_thing': ['my_thing', undefined],
    '/my-thing': ['my_thing', undefined],
    '/%6Dy%2Dthing': ['my_thing', undefined],
    '/a-b': ['a-b', undefined],
    '/a_b': ['a_b', undefined],
    '/__proto__': null,
  }
  for (const [path, expected] of Object.entries(paths)) {
    test(`${path} is ${expected?.join(' ') ?? 'none'}`, () => {
      const match = map.match(path)
      assert.deepEqual(match && [match.controller, match.action], expected)
    })
  }

  test('are scanned anew when _created_regs is false', () => {
    const names = ['one']
    const scanning = new Mapper({ controllerScan: () => names }).connect('/{controller}')
    assert.equal(scanning.match('/two'), null)
    assert.equal(scanning._created_regs, true)
    names.push('two')
    assert.equal(scanning.match('/two'), null)
    scanning._created_regs = false
    assert.equal(scanning.match('/two')?.controller, 'two')
    assert.equal(scanning._created_regs, true)
  })

  test('none known: nothing matches; no scan: any name does', () => {
    assert.equal(new Mapper({ controllerScan: () => [] }).connect('/{controller}').match('/x'), null)
    assert.equal(new Mapper().connect('/{controller}').match('/x')?.controller, 'x')
  })

  test('amid literal text, with more behind it', () => {
    const mixed = new Mapper({ controllerScan: () => ['admin', 'admin/users'] }).connect('/c-{controller}/list/{id}')
    assert.deepEqual({ ...mixed.match('/c-admin/users/list/1') }, { controller: 'admin/users', id: '1' })
    assert.deepEqual({ ...mixed.match('/c-admin/list/1') }, { controller: 'admin', id: '1' })
    assert.equal(mixed.match('/c-admin'), null)
    assert.equal(mixed.match('/c-other/list/1'), null)
  })

  test('a requirement on the controller holds too', () => {
    const strict = new Mapper({ controllerScan: () => ['a', 'b'] }).connect('/{controller:a}')
    assert.equal(strict.match('/b'), null)
    assert.equal(strict.match('/a')?.controller, 'a')
  })
})

test('a route defined after the first match matches at once', () => {
  const map = new Mapper().connect('/a')
  assert.equal(map.match('/b'), null)
  map.connect('/b')
  assert.notEqual(map.match('/b'), null)
})

describe('path_info', () => {
  const table: [template: string, path: string, value: string, scriptName: string, pathInfo: string][] = [
    ['/blog/{path_info:.*}', '/blog/x/y/', 'x/y/', '/blog', '/x/y/'],
    ['/blog/{path_info:.*}', '/blog/', '', '/blog', '/'],
    ['/blog/{path_info:.*}', '/blog//x', '/x', '/blog', '//x'],
    ['/blog/{path_info:.*}', '/bl%6Fg/a%2Fb%20c', 'a/b c', '/blog', '/a/b c'],
    ['/blog/{path_info:.*}', '/blog', '', '/blog', ''],
    ['/{lang}/{path_info:.*}', '/de', '', '/de', ''],
    ['/{path_info:.*}', '/', '', '', '/'],
    ['/c{path_info:.*}', '/c/x', '/x', '/c', '/x'],
    ['/c{path_info:.*}', '/c', '', '/c', ''],
    ['/c{path_info:.*}', '/cards', 'ards', '/c', '/ards'],
    ['/{lang}/app/{path_info:.*}', '/d%C3%A9/app/x', 'x', '/dé/app', '/x'],
    ['/{a}/{b}/app/{path_info:.*}', '/1/longer/app/x', 'x', '/1/longer/app', '/x'],
    ['/mid/{path_info:.*}/end', '/mid/q/end', 'q', '/mid', '/q/end'],
  ]
  for (const [template, path, value, scriptName, pathInfo] of table) {
    test(`${template} hands on ${path} as ${scriptName} and ${pathInfo}`, () => {
      const resolution = new Mapper().connect(template).resolve('GET', path)
      assert.equal(resolution.kind, 'match')
      if (resolution.kind !== 'match') return
      assert.deepEqual(
        [resolution.match.path_info, resolution.scriptName, resolution.pathInfo],
        [value, scriptName, pathInfo],
      )
    })
  }

  test('as a default', () => {
    for (const [path_info, expected] of [
      ['/', '/'],
      ['inner/page', '/inner/page'],
    ]) {
      const resolution = new Mapper().connect('/bare', { path_info }).resolve('GET', '/bare')
      const { scriptName, pathInfo } = resolution.kind === 'match' ? resolution : {}
      assert.deepEqual([scriptName, pathInfo], ['/bare', expected])
    }
  })

  test('is missing from other matches', () => {
    const resolution = new Mapper().connect('/bare').resolve('GET', '/bare')
    const { scriptName, pathInfo } = resolution.kind === 'match' ? resolution : { scriptName: 'none' }
    assert.deepEqual([scriptName, pathInfo], [undefined, undefined])
  })

  for (const [template, path] of [
    ['/blog/{path_info:.+}', '/blog'],
    ['/blog/{path_info:.*}', '/blogs'],
    ['/mid/{path_info:.*}/end', '/mid'],
    ['/{lang}/{path_info:.*}', '/'],
  ] as const) {
    test(`${template} does not match ${path}`, () => {
      assert.equal(new Mapper().connect(template).match(path), null)
    })
  }

  test('of a redirect does not match its mount point', () => {
    const map = new Mapper().redirect('/old/{path_info:.*}', '/new/{path_info}')
    assert.equal(map.resolve('GET', '/old').kind, 'none')
    assert.equal(map.resolve('GET', '/old/x').kind, 'redirect')
  })

  test('is not left out of generated paths', () => {
    assert.equal(new Mapper().connect('blog', '/blog/{path_info:.*}').url('blog', { path_info: 'x/y' }), '/blog/x/y')
  })
})

describe('the slash at the end', () => {
  const build = (trailingSlash: 'strict' | 'redirect' | 'ignore') =>
    new Mapper({ trailingSlash })
      .connect('a', '/a', { conditions: { method: ['GET', 'PUT'] } })
      .connect('b', '/b/')
      .connect('rest', '/rest/{path:.*}')
      .connect('x', '/{x}/{y:.*}', { requirements: { x: '[^/]*' } })

  test('counts in strict mode', () => {
    assert.equal(name(new Mapper().connect('/a').resolve('GET', '/a/')), 'none')
    assert.equal(name(new Mapper().connect('/a/').resolve('GET', '/a')), 'none')
  })

  const redirects: [method: string, path: string, context: RouteContext, expected: string][] = [
    ['GET', '/a', {}, '/a'],
    ['GET', '/b/', {}, '/b/'],
    ['GET', '/b', {}, '301 /b/'],
    ['HEAD', '/b', {}, '301 /b/'],
    ['PUT', '/b', {}, '308 /b/'],
    ['GET', '/b', { query: 'x=1&y=%20' }, '301 /b/?x=1&y=%20'],
    ['GET', '/b', { scriptName: '/my app' }, '301 /my%20app/b/'],
    ['GET', '/b', { query: 'a\r\nSet-Cookie: x' }, '301 /b/?a%0D%0ASet-Cookie:%20x'],
    ['GET', '/b', { query: 'x=#y😀' }, '301 /b/?x=%23y%F0%9F%98%80'],
    ['GET', '/old', {}, '301 /old/'],
    ['GET', '/😀', {}, '301 /%F0%9F%98%80/'],
    ['GET', '/c', {}, 'none'],
  ]
  for (const [method, path, context, expected] of redirects) {
    test(`${method} ${path} ${JSON.stringify(context)} is ${expected}`, () => {
      const map = new Mapper({ trailingSlash: 'redirect' })
        .connect('/a')
        .connect('/b/')
        .connect('/😀/')
        .redirect('/old/', '/new')
      assert.equal(name(map.resolve(method, path, context)), expected)
    })
  }

  for (const [path, expected] of [
    ['//evil.example/', '/.//evil.example'],
    ['/\\evil.example/', '/%5Cevil.example'],
    ['/\t/evil.example/', '/%09/evil.example'],
  ] as const) {
    test(`a redirect from ${JSON.stringify(path)} stays on the host`, () => {
      const map = new Mapper({ trailingSlash: 'redirect' }).connect('/{x:.*[^/]}')
      const resolution = map.resolve('GET', path)
      assert.equal(name(resolution), `301 ${expected}`)
      const location = resolution.kind === 'redirect' ? resolution.location : ''
      assert.equal(new URL(location, 'https://here.example/').host, 'here.example')
    })
  }

  test('is ignored in ignore mode, first defined first', () => {
    const map = build('ignore')
    assert.equal(name(map.resolve('GET', '/a/')), 'a')
    assert.equal(name(map.resolve('GET', '/b')), 'b')
    assert.equal(name(map.resolve('POST', '/a/')), 'x')
  })

  test('is ignored by look-ups', () => {
    const map = new Mapper({ trailingSlash: 'ignore' }).connect('/a', { conditions: { method: 'PUT' } })
    assert.deepEqual(map.methodsAt('/a/'), ['PUT'])
    assert.equal(name(map.resolve('PUT', '/a/')), '/a')
  })

  test('a value that spans segments keeps its slash', () => {
    for (const mode of ['strict', 'redirect', 'ignore'] as const) {
      assert.equal(build(mode).match('/rest/a/')?.path, 'a/')
    }
  })
})

describe('redirect routes', () => {
  const map = new Mapper()
    .redirect('/old/{id}', '/new/{id}', { status: 301 })
    .redirect('/q/{x}', '/q2')
    .redirect('/files/{path:.*}', '/store/{path}')
    .redirect('/away/{page}', 'https://example.com/{page}?from=here')
    .redirect('/posted', '/x', { conditions: { method: 'POST' } })
  const table: [method: string, path: string, context: RouteContext, expected: string][] = [
    ['GET', '/old/a%2Fb', {}, '301 /new/a%2Fb'],
    ['GET', '/old/1', { query: 'p=2' }, '301 /new/1?p=2'],
    ['GET', '/old/1', { scriptName: '/app' }, '301 /app/new/1'],
    ['GET', '/q/7', {}, '302 /q2?x=7'],
    ['GET', '/q/7', { query: 'y=8' }, '302 /q2?x=7&y=8'],
    ['GET', '/files/a/b', {}, '302 /store/a/b'],
    ['GET', '/away/x', { scriptName: '/app', query: 'y=1' }, '302 https://example.com/x?from=here&y=1'],
    ['GET', '/posted', {}, '405 OPTIONS POST'],
    ['POST', '/posted', {}, '302 /x'],
  ]
  for (const [method, path, context, expected] of table) {
    test(`${method} ${path} ${JSON.stringify(context)}: ${expected}`, () => {
      assert.equal(name(map.resolve(method, path, context)), expected)
    })
  }

  test('never lead to another host by what a value holds', () => {
    const open = new Mapper().redirect('/go/{path:.*}', '/{path}')
    for (const path of ['/go//evil.example', '/go/%2Fevil.example', '/go/%5Cevil.example']) {
      const resolution = open.resolve('GET', path)
      const location = resolution.kind === 'redirect' ? resolution.location : ''
      assert.equal(new URL(location, 'https://here.example/').host, 'here.example', location)
    }
  })

  test('that could not be filled or have no such status are refused', () => {
    assert.throws(() => new Mapper().redirect('/a', '/b/{id}'), { code: 'E_ROUTE_PARAMETER' })
    assert.throws(() => new Mapper().redirect('/a', '/b', { status: 200 }), { code: 'E_ROUTE_OPTION' })
  })
})

describe('a path that was resolved before', () => {
  const definitions: readonly ((map: Mapper) => unknown)[] = [
    (map) => map.connect('home', '/', {}),
    (map) => map.connect('admin', '/a', { conditions: { subDomain: 'admin' } }),
    (map) => map.connect('new', '/a', { conditions: { method: 'POST' } }),
    (map) => map.connect('head', '/a', { conditions: { method: 'HEAD' } }),
    (map) => map.connect('list', '/a', { conditions: { method: ['GET', 'PUT'] } }),
    (map) => map.connect('chosen', '/{x}', { conditions: { function: ({ query }) => query === 'chosen' } }),
    (map) => map.connect('any', '/{x}', { page: 'one' }),
    (map) => map.connect('rest', '/{x}/{path_info:.*}', {}),
    (map) => map.redirect('/b', '/a'),
    (map) => map.resource('c', 'cs'),
  ]
  const request = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'FOO'),
    path: fc.constantFrom(
      '',
      '/',
      '/a',
      '/%61',
      '/a/',
      '/b',
      '/a/b',
      '/a/b,c',
      '/a/b%2Cc',
      '/cs',
      '/cs/1',
      '/cs/1.json',
    ),
    context: fc.record({
      host: fc.constantFrom('example.org', 'admin.example.org'),
      query: fc.constantFrom('', 'chosen'),
    }),
  })
  const settings = fc.record({
    subDomains: fc.boolean(),
    trailingSlash: fc.constantFrom('strict' as const, 'redirect' as const, 'ignore' as const),
  })

  function mapOf(chosen: typeof definitions, options: MapperSettings): Mapper {
    const map = new Mapper(options)
    for (const define of chosen) define(map)
    return map
  }

  /** What a resolution says, without the route objects, which differ between mappers. */
  function said(resolution: Resolution): unknown {
    if (resolution.kind !== 'match') return resolution
    const { route, ...rest } = resolution
    return { ...rest, path: route.path, name: route.name }
  }

  test('is resolved as by a mapper that sees it for the first time', () => {
    fc.assert(
      fc.property(
        fc.subarray([...definitions]),
        settings,
        fc.array(request, { minLength: 2, maxLength: 12 }),
        (chosen, options, requests) => {
          const map = mapOf(chosen, options)
          for (const { method, path, context } of requests) {
            const fresh = mapOf(chosen, options)
            assert.deepEqual(map.methodsAt(path, context), fresh.methodsAt(path, context))
            assert.deepEqual(said(map.resolve(method, path, context)), said(fresh.resolve(method, path, context)))
          }
        },
      ),
    )
  })

  test('has a match of its own', () => {
    const map = new Mapper().connect('/{x}', { page: 'one' })
    const first = map.resolve('GET', '/a')
    assert.ok(first.kind === 'match')
    first.match.page = 'changed'
    const second = map.resolve('GET', '/a')
    assert.deepEqual(second.kind === 'match' && { ...second.match }, { page: 'one', x: 'a' })
  })

  test('is resolved anew when a route is added', () => {
    const map = new Mapper().connect('/{x}')
    map.resolve('GET', '/a')
    map.connect('/a/b')
    assert.equal(name(map.resolve('GET', '/a')), '/{x}')
    assert.equal(name(map.resolve('GET', '/a/b')), '/a/b')
  })

  test('is one of as many as clients like', () => {
    const map = new Mapper().connect('/{x}')
    for (let number = 0; number < 3000; number++) {
      const resolution = map.resolve('GET', `/${number % 2000}`)
      assert.equal(resolution.kind === 'match' && resolution.match.x, `${number % 2000}`)
    }
  })
})
