import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Mapper, type Resolution } from 'propylon/routing'

function shown(resolution: Resolution): string {
  if (resolution.kind === 'match') {
    const { controller, action, ...rest } = resolution.match
    return [`${controller}#${action}`, ...Object.entries(rest).map(([name, value]) => `${name}=${value}`)].join(' ')
  }
  return resolution.kind === 'method' ? `405 ${resolution.allow.join(',')}` : resolution.kind
}

function listed(map: Mapper<unknown>): (string | null)[][] {
  return map.routes.map(({ name, methods, path, defaults }) => [
    name,
    methods?.join(',') ?? null,
    path,
    defaults.action ?? null,
  ])
}

describe('the routes of a resource', () => {
  test('come in the order of Routes, each after its formatted kin', () => {
    assert.deepEqual(listed(new Mapper().resource('user', 'users')), [
      [null, 'POST', '/users.{format}', 'create'],
      [null, 'POST', '/users', 'create'],
      ['formatted_users', 'GET', '/users.{format}', 'index'],
      ['users', 'GET', '/users', 'index'],
      ['formatted_new_user', 'GET', '/users/new.{format}', 'new'],
      ['new_user', 'GET', '/users/new', 'new'],
      ['formatted_edit_user', 'GET', '/users/{id}.{format};edit', 'edit'],
      ['edit_user', 'GET', '/users/{id};edit', 'edit'],
      [null, 'PUT', '/users/{id}.{format}', 'update'],
      [null, 'PUT', '/users/{id}', 'update'],
      [null, 'DELETE', '/users/{id}.{format}', 'delete'],
      [null, 'DELETE', '/users/{id}', 'delete'],
      ['formatted_user', 'GET', '/users/{id}.{format}', 'show'],
      ['user', 'GET', '/users/{id}', 'show'],
    ])
  })

  const map = new Mapper().resource('user', 'users')
  for (const [request, expected] of Object.entries({
    'GET /users': 'users#index',
    'GET /users.json': 'users#index format=json',
    'GET /users.html': 'users#index format=html',
    'GET /users.xml': 'none',
    'POST /users': 'users#create',
    'GET /users/new': 'users#new',
    'GET /users/new.json': 'users#new format=json',
    'GET /users/joe': 'users#show id=joe',
    'GET /users/joe.json': 'users#show id=joe format=json',
    'GET /users/john.doe': 'users#show id=john.doe',
    'GET /users/john.doe.json': 'users#show id=john.doe format=json',
    'GET /users/john.xml': 'users#show id=john.xml',
    'GET /users/5.': 'users#show id=5.',
    'GET /users/.json': 'users#show id=.json',
    'PUT /users/joe': 'users#update id=joe',
    'PUT /users/joe.json': 'users#update id=joe format=json',
    'DELETE /users/joe': 'users#delete id=joe',
    'GET /users/joe;edit': 'users#edit id=joe',
    'GET /users/joe/edit': 'users#edit id=joe',
    'GET /users/joe.json;edit': 'users#edit id=joe format=json',
    'GET /users/joe;edit.json': 'users#edit id=joe format=json',
    'GET /users/joe/edit.json': 'users#edit id=joe format=json',
    'GET /users/joe%2Ejson': 'users#show id=joe.json',
    'GET /users/joe%3Bedit': 'users#show id=joe;edit',
    'GET /users/a%2Fb': 'users#show id=a/b',
    'GET /users/%E6%97%A5%E6%9C%AC': 'users#show id=日本',
    'GET /users/a%25b': 'users#show id=a%b',
    'GET /users/a;b': 'none',
    'GET /users/a/b': 'none',
    'GET /users/%ff': 'none',
    'GET /users/%2': 'none',
    'GET /users/': 'none',
    'HEAD /users/joe': 'users#show id=joe',
    'PUT /users': '405 GET,HEAD,OPTIONS,POST',
    'PATCH /users/joe': '405 DELETE,GET,HEAD,OPTIONS,PUT',
    'POST /users/joe': '405 DELETE,GET,HEAD,OPTIONS,PUT',
    'PUT /users/new': '405 GET,HEAD,OPTIONS',
    'DELETE /users/new': '405 GET,HEAD,OPTIONS',
    'PUT /users/new.json': '405 GET,HEAD,OPTIONS',
    'GET /users/new/edit': 'none',
    'OPTIONS /users': '405 GET,HEAD,OPTIONS,POST',
    'POST /users/joe;edit': '405 GET,HEAD,OPTIONS',
  })) {
    const [method = '', path = ''] = request.split(' ')
    test(`${request} is ${expected}`, () => assert.equal(shown(map.resolve(method, path)), expected))
  }

  test("generate /edit with editPath: '/edit', and both spellings match", () => {
    const map = new Mapper({ editPath: '/edit' })
      .resource('user', 'users')
      .submapper({ pathPrefix: '/admin', namePrefix: 'admin_' }, (admin) => admin.resource('job', 'jobs'))
    const site = new Mapper().mount('/site', map, { namePrefix: 'site_' })
    assert.equal(map.url('edit_user', { id: 7 }), '/users/7/edit')
    assert.equal(map.url('formatted_edit_user', { id: 7, format: 'json' }), '/users/7/edit.json')
    assert.equal(map.url('admin_edit_job', { id: 7 }), '/admin/jobs/7/edit')
    assert.equal(site.url('site_edit_user', { id: 7 }), '/site/users/7/edit')
    for (const path of ['/users/7/edit', '/users/7;edit', '/users/7/edit.json', '/users/7.json;edit']) {
      assert.match(shown(map.resolve('GET', path)), /^users#edit id=7/, path)
    }
  })

  test('refuse another editPath', () => {
    assert.throws(() => new Mapper({ editPath: '/change' as '/edit' }), {
      code: 'E_ROUTE_OPTION',
      parameter: 'editPath',
    })
  })

  test('have no format in the match where the path has none', () => {
    assert.equal('format' in (map.match('/users/joe', { method: 'GET' }) ?? {}), false)
  })
})

describe('the param of a resource', () => {
  const map = new Mapper({ editPath: '/edit' })
    .resource('article', 'articles', { param: 'slug', member: { favorite: 'POST' } })
    .resource('comment', 'comments', {
      parentResource: { memberName: 'article', collectionName: 'articles' },
      param: 'comment',
    })
  for (const [request, expected] of Object.entries({
    'GET /articles/welcome': 'articles#show slug=welcome',
    'GET /articles/welcome.json': 'articles#show slug=welcome format=json',
    'GET /articles/john.doe': 'articles#show slug=john.doe',
    'GET /articles/welcome/edit': 'articles#edit slug=welcome',
    'GET /articles/welcome;edit': 'articles#edit slug=welcome',
    'PUT /articles/welcome': 'articles#update slug=welcome',
    'DELETE /articles/welcome': 'articles#delete slug=welcome',
    'POST /articles/welcome/favorite': 'articles#favorite slug=welcome',
    'GET /articles/new': 'articles#new',
    'PUT /articles/new': '405 GET,HEAD,OPTIONS',
    'GET /articles/welcome/comments': 'comments#index article_id=welcome',
    'GET /articles/welcome/comments/5': 'comments#show article_id=welcome comment=5',
  })) {
    test(`resolves ${request}`, () => {
      const [method = '', path = ''] = request.split(' ')
      assert.equal(shown(map.resolve(method, path)), expected)
    })
  }

  test('is in URLs', () => {
    assert.equal(map.url('article', { slug: 'welcome' }), '/articles/welcome')
    assert.equal(map.url('edit_article', { slug: 'welcome' }), '/articles/welcome/edit')
    assert.equal(map.url('article_comment', { article_id: 'a', comment: 5 }), '/articles/a/comments/5')
    // @ts-expect-error -- the parameter is slug
    assert.throws(() => map.url('article', { id: 'welcome' }))
    assert.throws(() => map.url('article', { slug: 'new' }))
  })

  for (const param of ['', 'a b', 'a-b', '1', 'controller', 'action', 'format', 5]) {
    test(`is refused as ${JSON.stringify(param)}`, () => {
      const options = { param: param as string }
      assert.throws(() => new Mapper().resource('article', 'articles', options), { code: 'E_ROUTE_OPTION' })
    })
  }
})
