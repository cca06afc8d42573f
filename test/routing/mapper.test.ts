import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Mapper } from 'propylon/routing'

type Row = [name: string | null, methods: string | null, path: string, controller: string | null, action: string | null]

function rows(map: Mapper<unknown>): Row[] {
  return map
    .table()
    .map(({ name, methods, path, controller, action }) => [name, methods?.join() ?? null, path, controller, action])
}

describe('resource options', () => {
  test('further actions of collection, member and new', () => {
    const map = new Mapper().resource('user', 'users', {
      collection: { recent: 'GET' },
      member: { block: 'post' },
      new: { preview: 'POST' },
      formats: [],
    })
    assert.deepEqual(
      rows(map).filter(([, , , , action]) => ['recent', 'block', 'preview'].includes(action ?? '')),
      [
        ['recent_users', 'GET', '/users/recent', 'users', 'recent'],
        ['preview_new_user', 'POST', '/users/new/preview', 'users', 'preview'],
        ['block_user', 'POST', '/users/{id}/block', 'users', 'block'],
      ],
    )
    assert.equal(map.match('/users/1;block', { method: 'POST' })?.action, 'block')
    assert.equal(map.resolve('DELETE', '/users/recent').kind, 'method')
    assert.equal(map.resolve('POST', '/users/new/block').kind, 'none')
  })

  test('further actions have formats too', () => {
    const map = new Mapper().resource('user', 'users', {
      collection: { recent: 'GET' },
      member: { block: 'GET' },
    })
    for (const path of ['/users/recent.json', '/users.json;recent', '/users/1/block.json', '/users/1.json;block']) {
      assert.equal(map.match(path, { method: 'GET' })?.format, 'json', path)
    }
  })

  test('slashes around the collection count as none', () => {
    const map = new Mapper().resource('user', '//admin/users//', { only: ['index'], formats: [] })
    assert.deepEqual(rows(map), [['admin/users', 'GET', '/admin/users', 'admin/users', 'index']])
  })

  test('prefixes for path and names', () => {
    const map = new Mapper().resource('trackback', 'trackbacks', {
      controller: 'admin/trackbacks',
      pathPrefix: '/admin',
      namePrefix: 'admin_',
    })
    assert.deepEqual(
      rows(map).flatMap(([name, , path]) => (name ? [[name, path]] : [])),
      [
        ['formatted_admin_trackbacks', '/admin/trackbacks.{format}'],
        ['admin_trackbacks', '/admin/trackbacks'],
        ['formatted_admin_new_trackback', '/admin/trackbacks/new.{format}'],
        ['admin_new_trackback', '/admin/trackbacks/new'],
        ['formatted_admin_edit_trackback', '/admin/trackbacks/{id}.{format};edit'],
        ['admin_edit_trackback', '/admin/trackbacks/{id};edit'],
        ['formatted_admin_trackback', '/admin/trackbacks/{id}.{format}'],
        ['admin_trackback', '/admin/trackbacks/{id}'],
      ],
    )
    assert.equal(map.match('/admin/trackbacks')?.controller, 'admin/trackbacks')
  })

  test('a parent', () => {
    const map = new Mapper().resource('location', 'locations', {
      parentResource: { memberName: 'region', collectionName: 'regions' },
    })
    assert.deepEqual(
      { ...map.match('/regions/13/locations/60', { method: 'GET' }) },
      {
        controller: 'locations',
        action: 'show',
        region_id: '13',
        id: '60',
      },
    )
    assert.equal(map.url('region_new_location', { region_id: 13 }), '/regions/13/locations/new')
  })

  test('requirements hold on every route, a member’s too', () => {
    const map = new Mapper().resource('message', 'messages', {
      pathPrefix: '/{category}',
      requirements: { category: 'home|work', id: '\\d+' },
    })
    assert.equal(map.match('/zzzz/messages'), null)
    assert.equal(map.match('/zzzz/messages/5'), null)
    assert.equal(map.match('/home/messages/x'), null)
    assert.equal(map.match('/home/messages/5')?.id, '5')
  })

  test('only and except', () => {
    const actions = (options: object) => [
      ...new Set(rows(new Mapper().resource('a', 'as', options)).map((row) => row[4])),
    ]
    assert.deepEqual(actions({ only: ['index', 'show'] }), ['index', 'show'])
    assert.deepEqual(actions({ except: ['new', 'edit'] }), ['create', 'index', 'update', 'delete', 'show'])
    assert.throws(() => actions({ only: ['shw'] }), {
      code: 'E_ROUTE_OPTION',
      parameter: 'only',
      value: 'shw',
      message: /The resource "as" has no action "shw"/,
      fix: 'Use index, create, new, edit, update, delete, show.',
    })
  })

  test('a path keeps its name when the action that had it is left out', () => {
    const map = new Mapper().resource('a', 'as', { only: ['create', 'update', 'delete'] })
    assert.equal(map.url('as'), '/as')
    assert.equal(map.url('a', { id: 1 }), '/as/1')
  })

  test('formats of its own, or none', () => {
    const map = new Mapper()
      .resource('feed', 'feeds', { formats: ['rss'] })
      .resource('plain', 'plains', { formats: [] })
    assert.equal(map.match('/feeds.rss')?.format, 'rss')
    assert.equal(map.match('/feeds/1.json', { method: 'GET' })?.id, '1.json')
    assert.equal(map.match('/plains.json'), null)
  })

  test('the options are left as they were', () => {
    const options = { member: { edit: 'GET', mark: 'POST' }, new: { new: 'GET' } }
    new Mapper().resource('a', 'as', options)
    assert.deepEqual(options, { member: { edit: 'GET', mark: 'POST' }, new: { new: 'GET' } })
  })

  test('resourceActions returns the methods of an action', () => {
    const map = new Mapper()
      .resource('user', 'users', { member: { block: 'POST', any: 'any' } })
      .resource('person', 'people', { controller: 'users', only: [], member: { block: 'DELETE' } })
      .connect('/users/other', { controller: 'users', action: 'other', conditions: { method: 'GET' } })
    assert.deepEqual(Object.fromEntries(map.resourceActions('users')), {
      create: ['POST'],
      index: ['GET'],
      new: ['GET'],
      block: ['DELETE', 'POST'],
      edit: ['GET'],
      update: ['PUT'],
      delete: ['DELETE'],
      show: ['GET'],
    })
    assert.equal(map.resourceActions('others').size, 0)
  })
})

describe('sub-mappers', () => {
  test('share prefixes and options, inner ones winning', () => {
    const map = new Mapper()
    const admin = map.submapper({
      pathPrefix: '/admin',
      namePrefix: 'admin_',
      controller: 'admin',
      requirements: { id: '\\d+' },
    })
    admin.connect('home', '', { action: 'home' })
    admin.connect('/x/{id}', { action: 'x', controller: 'other' })
    admin.submapper({ pathPrefix: '/deep', namePrefix: 'deep_' }).connect('y', '/y/{id}', { requirements: { z: '.' } })
    admin.resource('user', 'users', { only: ['index'], formats: [] })
    assert.deepEqual(rows(map), [
      ['admin_home', null, '/admin', 'admin', 'home'],
      [null, null, '/admin/x/{id}', 'other', 'x'],
      ['admin_deep_y', null, '/admin/deep/y/{id}', 'admin', null],
      ['admin_users', 'GET', '/admin/users', 'admin', 'index'],
    ])
    assert.equal(map.match('/admin/deep/y/a'), null)
  })
})

describe('a mapper in another', () => {
  const blog = new Mapper()
    .resource('post', 'posts')
    .connect('feed', '/feed', { conditions: { method: 'GET' } })
    .connect('site', 'https://example.com/', { static: true })
    .redirect('/old', '/feed')
  const site = new Mapper().connect('home', '/').mount('/blogs/{blog}/', blog, { namePrefix: 'blog_' })

  test('has its routes below the path, in order, with their conditions', () => {
    assert.deepEqual(
      { ...site.match('/blogs/a/posts/5;edit', { method: 'GET' }) },
      {
        controller: 'posts',
        action: 'edit',
        blog: 'a',
        id: '5',
      },
    )
    assert.equal(site.match('/blogs/a/posts/5/edit', { method: 'GET' })?.action, 'edit')
    assert.equal(site.resolve('POST', '/blogs/a/feed').kind, 'method')
    assert.equal(site.match('/posts'), null)
  })

  test('generates with the prefix, other sites without', () => {
    assert.equal(site.url('blog_post', { blog: 'a', id: 1 }), '/blogs/a/posts/1')
    assert.equal(site.url('blog_site', { blog: 'a' }), 'https://example.com/?blog=a')
  })

  test('redirects within itself', () => {
    const resolution = site.resolve('GET', '/blogs/a/old')
    assert.equal(resolution.kind === 'redirect' && resolution.location, '/blogs/a/feed')
  })

  test('may be itself', () => {
    const twice = new Mapper()
    twice.connect('a', '/a')
    twice.mount('/v2', twice, { namePrefix: 'v2_' })
    assert.equal(twice.url('v2_a'), '/v2/a')
    assert.equal(twice.routes.length, 2)
  })
})

describe('the table', () => {
  const map = new Mapper()
    .resource('user', 'users', { formats: [] })
    .redirect('/old', '/users')
    .connect('css', '/main.css', { static: true })

  test('has the place where a route was defined', () => {
    assert.match(map.table()[0]?.definedAt ?? '', /mapper\.test\.ts:\d+:\d+$/)
    assert.equal(new Mapper({ rememberSites: false }).connect('/').table()[0]?.definedAt, null)
  })
})

describe('diagnosis', () => {
  const found = (map: Mapper<unknown>) =>
    map.diagnose().map(({ code, route, other }) => [code, route.path, other?.path])

  test('the routes of a resource and the default routes are sound', () => {
    const map = new Mapper().resource('user', 'users').connect('/{controller}').connect('/{controller}/{action}')
    assert.deepEqual(found(map), [])
  })

  test('routes that can never be reached', () => {
    const map = new Mapper()
      .connect('/{a}/{b}')
      .connect('/foo/bar')
      .connect('/{x}/y', { conditions: { method: 'GET' } })
      .connect('/files/{path:.*}')
      .connect('/files/a/{x}')
      .connect('/n/{id:\\d+}/x')
      .connect('/n/{other:\\d+}/x')
      .connect('/n/{other}/x')
    assert.deepEqual(found(map), [
      ['unreachable', '/foo/bar', '/{a}/{b}'],
      ['unreachable', '/{x}/y', '/{a}/{b}'],
      ['unreachable', '/files/a/{x}', '/files/{path:.*}'],
      ['unreachable', '/n/{other:\\d+}/x', '/n/{id:\\d+}/x'],
    ])
  })

  test('methods, conditions and sub-domains leave room', () => {
    const map = new Mapper()
      .connect('/a', { conditions: { method: 'GET' } })
      .connect('/a', { conditions: { method: ['GET', 'POST'] } })
      .connect('/b', { conditions: { function: () => true } })
      .connect('/b')
      .connect('/c', { conditions: { subDomain: 'x' } })
      .connect('/c')
    assert.deepEqual(found(map), [])
  })

  test('only known controllers stand in the way', () => {
    const map = new Mapper({ controllerScan: () => ['users'] })
      .connect('/{controller}')
      .connect('/users')
      .connect('/others')
    assert.deepEqual(found(map), [['unreachable', '/users', '/{controller}']])
  })

  test('names used twice, with the place', () => {
    const [finding] = new Mapper().connect('a', '/1').connect('a', '/2').diagnose()
    assert.equal(finding?.code, 'duplicate-name')
    assert.match(finding?.definedAt ?? '', /mapper\.test\.ts:\d+:\d+$/)
    assert.match(finding?.message ?? '', /"a"/)
  })
})

describe('near misses', () => {
  const map = new Mapper()
    .resource('user', 'users')
    .connect('dated', '/posts/{year:\\d{4}}', { conditions: { method: 'GET' } })
    .connect('fred', '/fred', { conditions: { subDomain: 'fred' } })
    .connect('no', '/no', { conditions: { function: () => false } })
    .connect('about', '/about/team')
    .connect('letter', '/letters/{x}', {
      conditions: { method: 'GET', function: (_context, match) => match.x === 'a' },
    })
  const table: [method: string, path: string, route: string, condition: string, detail: RegExp][] = [
    ['PATCH', '/users', '/users', 'method', /takes .*, not PATCH/],
    ['GET', '/posts/26', '/posts/{year:\\d{4}}', 'requirement', /year = "26" does not match \\d\{4\}/],
    ['GET', '/fred', '/fred', 'subDomain', /^requires the sub-domain fred; the host is unknown$/],
    ['HEAD', '/letters/b', '/letters/{x}', 'function', /condition function/],
    ['GET', '/users/new/edit', '/users/{id};edit', 'requirement', /^id cannot be "new"$/],
    ['PATCH', '/letters/a', '/letters/{x}', 'method', /^takes GET, not PATCH$/],
    ['GET', '/no', '/no', 'function', /condition function/],
    ['GET', '/about/team/', '/about/team', 'path', /^would match "\/about\/team"$/],
    ['GET', '/About/team', '/about/team', 'path', /^would match "\/about\/team"$/],
    ['GET', '/abuot/team', '/about/team', 'path', /^would match "\/about\/team"$/],
    ['GET', '/about', '/about/team', 'path', /^would match "\/about\/team"$/],
    ['GET', '/usres', '/users', 'path', /^would match "\/users"$/],
    ['GET', '/user/1/edt', '/users/{id};edit', 'path', /^would match "\/users\/1\/edit"$/],
  ]
  for (const [method, path, route, condition, detail] of table) {
    test(`${method} ${path} nearly is ${route}: ${condition}`, () => {
      const miss = map.explain(method, path).find((one) => one.route.path === route)
      assert.equal(miss?.condition, condition)
      assert.match(miss?.detail ?? '', detail)
    })
  }

  const names = new Mapper({ controllerScan: () => ['hello', 'admin/panel'] })
    .connect('/{controller}', { action: 'index' })
    .connect('/{controller}/{action}')
  const unknown: [path: string, route: string, detail: string][] = [
    ['/nope', '/{controller}', 'the path has no known controller'],
    ['/nope/list', '/{controller}/{action}', 'the path has no known controller'],
    ['/helo', '/{controller}', 'would match "/hello"'],
    ['/admin', '/{controller}', 'would match "/admin/panel"'],
  ]
  for (const [path, route, detail] of unknown) {
    test(`${path} nearly is ${route}: the controller is unknown`, () => {
      const misses = names.explain('GET', path)
      assert.deepEqual(
        misses.map((miss) => [miss.route.path, miss.condition, miss.detail]),
        [[route, 'path', detail]],
      )
    })
  }

  for (const path of ['/letters.atom', '/letters/new.atom', '/list/a.atom']) {
    test(`${path} has a format that the route does not offer`, () => {
      const letters = new Mapper().resource('letter', 'letters').connect('/list/{x:[a-z]+}{.format}')
      const [miss] = letters.explain('GET', path)
      assert.match(miss?.detail ?? '', /^has the formats html, json, not "atom"; list it in the option formats/)
    })
  }

  test('a route that matches is none', () => {
    const one = new Mapper().connect('/{x}', { conditions: { method: 'GET', function: () => true } })
    assert.deepEqual([...one.explain('GET', '/a'), ...one.explain('HEAD', '/a')], [])
  })

  test('a route is listed once if the slash at the end is ignored', () => {
    const loose = new Mapper({ trailingSlash: 'ignore' }).connect('/{path:.*}', {
      conditions: { method: 'POST' },
    })
    assert.deepEqual(
      loose.explain('GET', '/a/').map((miss) => miss.detail),
      ['takes POST, not GET'],
    )
  })

  test('a path like no other has none, nor has one that cannot be decoded', () => {
    assert.deepEqual(map.explain('GET', '/x/y/z'), [])
    assert.deepEqual(map.explain('GET', '/%zz'), [])
  })
})
