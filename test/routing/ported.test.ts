import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GenerationError, Mapper, type Match } from 'propylon/routing'

function plain(match: Match | null | undefined): Record<string, string | null> | null {
  return match ? { ...match } : null
}

describe('literal text that URLs percent-encode, next to a value', () => {
  for (const character of [' ', '%', '"', '<', '>', '|', '^', '`', '[', ']', 'é']) {
    test(`${character} matches and is generated`, () => {
      const map = new Mapper()
        .connect('front', `/a${character}b-{id}`)
        .connect('back', `/{id}-a${character}b`)
        .connect('rest', `/rest/{id:.+}/a${character}b`)
        .connect('suffix', `/s${character}s{.format}`)
      for (const name of ['front', 'back', 'rest'] as const) {
        const url = map.url(name, { id: '7' })
        assert.match(url, /^[!-~]+$/)
        assert.equal(map.routematch(url)?.[1].name, name)
        assert.equal(map.match(url)?.id, '7')
      }
      assert.equal(map.match(map.url('suffix', { format: 'json' }))?.format, 'json')
    })
  }

  test('in the path of a resource', () => {
    const map = new Mapper().resource('user', 'my users')
    assert.equal(map.match('/my%20users.json', { method: 'GET' })?.format, 'json')
    assert.equal(map.match('/my%20users/5.json', { method: 'GET' })?.id, '5')
    assert.equal(map.url('formatted_user', { id: 5, format: 'json' }), '/my%20users/5.json')
  })

  test('may be escaped before the first value, where it cannot be part of one', () => {
    assert.deepEqual(plain(new Mapper().connect('/my_users{.format}').match('/my%5Fusers.json')), {
      format: 'json',
    })
    assert.deepEqual(plain(new Mapper().connect('/a_{b}_{c}').match('/a%5Fx%5Fy_z')), { b: 'x_y', c: 'z' })
    assert.equal(new Mapper().resource('user', 'users').match('/users%2Ejson'), null)
    assert.equal(new Mapper().connect('/a;{b}').match('/a%3Bx'), null)
  })
})

describe('escaped literal text behind a value that spans segments', () => {
  const cases: [path: string, url: string, x: string | undefined, y?: string][] = [
    ['/b/{x:.+}/my_thing', '/b/1/my%5Fthing', '1'],
    ['/b/{x:.+}/my_thing', '/b/1/2/my%5fth%69ng', '1/2'],
    ['/b/{x:.+}/my.thing', '/b/1/2/my%2Ething', '1/2'],
    ['/b/{x:.+}/my_thing/{y}', '/b/1/my%5Fthing/2', '1', '2'],
    ['/b/{x:.+}/my_{y}', '/b/1/my%5Fthing', '1', 'thing'],
    ['/api{x:/1|/2|}/util/is_slug_valid', '/api/1/util/is%5Fslug%5Fvalid', '/1'],
    // A delimiter of a value is not the same escaped, and an escaped slash is none.
    ['/b/{x:.+}/my.{y}', '/b/1/my%2Ething', undefined],
    ['/b/{x:.+}_z/my_thing', '/b/1%5Fz/my%5Fthing', undefined],
    ['/b/{x:.+}_z/my_thing', '/b/1_z/my%5Fthing', '1'],
    ['/b/{x:.+}/my_thing', '/b/1%2Fmy_thing', undefined],
  ]
  for (const [path, url, x, y] of cases) {
    test(`${path} ${x === undefined ? 'does not match' : 'matches'} ${url}`, () => {
      const match = new Mapper().connect(path).match(url)
      assert.equal(match?.x, x)
      assert.equal(match?.y, y)
    })
  }

  test('makes a URL that does not lead back an error', () => {
    const map = new Mapper().connect('n', '/b/{x:.+}/my_thing/{y:.+}')
    assert.throws(() => map.url('n', { x: 'q', y: 'r/my_thing/s' }), { code: 'E_PARAMETER_INVALID' })
  })
})

test('a path that is not a valid escape is never that of a route with a percent sign', () => {
  const map = new Mapper().connect('/100%').connect('/a%2Fb')
  assert.equal(map.match('/100%'), null)
  assert.notEqual(map.match('/100%25'), null)
  assert.equal(map.match('/a%2Fb'), null)
  assert.notEqual(map.match('/a%252Fb'), null)
})

describe('a resource with any format', () => {
  const map = new Mapper({ formats: null }).resource('user', 'users')
  const cases: [path: string, id: string, format: string | undefined][] = [
    ['/users/john.doe.json', 'john.doe', 'json'],
    ['/users/john.json', 'john', 'json'],
    ['/users/john', 'john', undefined],
    ['/users/john.json;edit', 'john', 'json'],
  ]
  for (const [path, id, format] of cases) {
    test(`${path} has the id ${id} and the format ${format}`, () => {
      const match = map.match(path, { method: 'GET' })
      assert.deepEqual([match?.id, match?.format], [id, format])
    })
  }
})

test('a value at the end of a segment may be empty', () => {
  const map = new Mapper().connect('n', '/x-{s:[a-z]*}')
  assert.deepEqual(plain(map.match('/x-')), { s: '' })
  assert.equal(map.url('n', { s: '' }), '/x-')
})

test('a redirect from the mount point to its slash is left out', () => {
  const map = new Mapper().redirect('', '/').connect('home', '/', { controller: 'versions' })
  const resolution = map.resolve('GET', '/')
  assert.equal(resolution.kind === 'match' && resolution.route.name, 'home')
})

describe('generation by values', () => {
  const fails = (call: () => string, code: string) =>
    assert.throws(call, (error) => error instanceof GenerationError && error.code === code)

  test('does not lose the action', () => {
    const map = new Mapper().connect('/c', { controller: 'c' })
    fails(() => map.url({ controller: 'c', action: 'destroy' }), 'E_ROUTE_NOT_FOUND')
    assert.equal(map.url({ controller: 'c' }), '/c')
  })

  test('does not lose the controller', () => {
    fails(() => new Mapper().connect('/a').url({ controller: 'b' }), 'E_ROUTE_NOT_FOUND')
  })

  test('finds a route without a controller', () => {
    const map = new Mapper().connect('/x/{fred}').connect('/{controller}/{id}')
    assert.equal(map.url({ fred: 1 }), '/x/1')
    const [match, route] = map.routematch('/blog/1') ?? []
    assert.equal(map.generator({ match, route })({ fred: 1 }), '/x/1')
  })

  test('refuses a sub-domain that the route does not match on', () => {
    const map = new Mapper({ subDomains: true }).connect('c', '/x', { conditions: { subDomain: ['cat'] } })
    const url = map.generator({ host: 'example.com' })
    assert.equal(url('c'), 'http://cat.example.com/x')
    assert.equal(url('c', { subDomain: 'cat' }), 'http://cat.example.com/x')
    assert.throws(() => url('c', { subDomain: 'new' }), {
      code: 'E_PARAMETER_INVALID',
      parameter: 'subDomain',
      message: /does not match on the sub-domain "new"/,
      fix: 'Leave "subDomain" out, or use cat.',
    })
    fails(() => url('c', { subDomain: null }), 'E_PARAMETER_INVALID')
    fails(() => map.url('c'), 'E_HOST')
  })

  test('keeps the sub-domain if the route matches on several', () => {
    const map = new Mapper({ subDomains: true })
      .connect('pets', '/pets', { conditions: { subDomain: ['cat', 'dog'] } })
      .connect('none', '/none', { conditions: { subDomain: false } })
    const url = map.generator({ host: 'dog.example.com' })
    assert.equal(url('pets'), '/pets')
    const subDomain = 'x'
    const leaveOut = 'Leave "subDomain" out, or use'
    assert.throws(() => url('pets', { subDomain }), { fix: `${leaveOut} cat or dog.` })
    assert.throws(() => url('none', { subDomain }), { fix: `${leaveOut} another one.` })
  })
})

describe('current', () => {
  test('leaves a route whose controller is not known', () => {
    const map = new Mapper({ controllerScan: () => ['blog'] })
      .connect('/viewpost/{id}', { controller: 'post', action: 'view' })
      .connect('/{controller}/{action}/{id}')
    const [match, route] = map.routematch('/blog/view/4') ?? []
    const url = map.generator({ match, route })
    assert.equal(url.current({ controller: 'post', action: 'view', id: 4 }), '/viewpost/4')
    assert.equal(url.current({ id: 5 }), '/blog/view/5')
  })

  test('of a named route takes the values of the request', () => {
    const map = new Mapper().connect('list', '/{year}/{tag}').connect('day', '/{year}/{month}/{day}')
    const [match, route] = map.routematch('/2026/news') ?? []
    const url = map.generator({ match, route, query: 'page=2' })
    assert.equal(url.current('day', { month: 5, day: 6 }), '/2026/5/6')
    assert.equal(url.current('list', { tag: 'old', sort: 'asc' }, { query: true }), '/2026/old?sort=asc&page=2')
    fails(() => url.current('list', { year: null }))
  })

  function fails(call: () => string): void {
    assert.throws(call, { code: 'E_PARAMETER_MISSING', parameter: 'year' })
  }
})

describe('a wrong option is refused', () => {
  const wrong: [title: string, define: () => unknown, parameter: string, fix: RegExp][] = [
    ['a misspelt flag', () => new Mapper().connect('/x', { statik: true } as never), 'statik', /"static"/],
    ['a misspelt object', () => new Mapper().connect('/x', { conditons: {} } as never), 'conditons', /"conditions"/],
    ['a misspelt controller', () => new Mapper().connect('/x', { contoller: 5 } as never), 'contoller', /"controller"/],
    ['a number that no URL has', () => new Mapper().connect('/x', { page: Number.NaN }), 'page', /finite/],
    [
      'a misspelt condition',
      () => new Mapper().connect('/x', { conditions: { methods: 'GET' } as never }),
      'conditions.methods',
      /"conditions.method"/,
    ],
    [
      'a misspelt option of a resource',
      () => new Mapper().resource('user', 'users', { memer: { block: 'POST' } } as never),
      'memer',
      /"member"/,
    ],
  ]
  for (const [title, define, parameter, fix] of wrong) {
    test(title, () => assert.throws(define, { code: 'E_ROUTE_OPTION', parameter, fix }))
  }

  test('but text is a default under any name, and so is the value of a parameter', () => {
    const map = new Mapper().connect('/{statik}', {
      statik: true,
      fomats: 'x',
      format: null,
      page: 1,
      open: false,
    })
    assert.deepEqual(plain(map.match('/a')), {
      statik: 'a',
      fomats: 'x',
      format: null,
      page: '1',
      open: 'false',
    })
  })
})

test('an unknown name suggests the nearest one', () => {
  const map: Mapper = new Mapper().connect('post', '/post').connect('users', '/users')
  assert.throws(() => map.url('psot'), { code: 'E_ROUTE_UNKNOWN', fix: 'Did you mean "post"?' })
  assert.throws(() => map.url('zebra'), { code: 'E_ROUTE_UNKNOWN', fix: /^Define it/ })
})
