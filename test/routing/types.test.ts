import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GenerationError, Mapper, type RouteName, type RouteNamed, type ValuesFor } from 'propylon/routing'

const map = new Mapper()
  .connect('home', '/', { controller: 'pages', action: 'index' })
  .connect('dated', '/{year:\\d{4}}/{month:(?:0[1-9]|1[0-2])}/{slug}{.format}', {
    controller: 'posts',
    action: 'show',
  })
  .connect('older', '/older/:name/*rest', { controller: 'older', action: 'show' })
  .connect('paged', '/pages/{page}', { controller: 'pages', action: 'list', page: '1' })
  .connect(null, '/nameless/{x}', { controller: 'pages', action: 'x' })
  .connect('/also-nameless/{x}')
  .resource('user', 'users', {
    collection: { recent: 'GET' },
    member: { block: 'POST' },
    new: { preview: 'POST' },
  })
  .resource('comment', 'comments', { parentResource: { memberName: 'post', collectionName: 'posts' } })
  .resource('tag', 'tags', { pathPrefix: '/blogs/{blog}', namePrefix: 'blog_', only: ['index', 'show'] })
  .resource('photo', 'photos', { except: ['new', 'edit'] })
  .submapper({ pathPrefix: '/admin/{realm}', namePrefix: 'admin_', controller: 'admin' }, (admin) =>
    admin.connect('log', '/log/{day}', { action: 'log' }).resource('job', 'jobs'),
  )

describe('names and parameters are checked by the compiler', () => {
  test('right uses compile, and yield URLs', () => {
    assert.equal(map.url('home'), '/')
    assert.equal(map.url('home', {}, { query: { page: 2 } }), '/?page=2')
    assert.equal(map.url('dated', { year: 2026, month: '11', slug: 'x' }), '/2026/11/x')
    assert.equal(map.url('dated', { year: 2026, month: '11', slug: 'x', format: 'json' }), '/2026/11/x.json')
    assert.equal(map.url('older', { name: 'a', rest: 'b/c' }), '/older/a/b/c')
    assert.equal(map.url('paged'), '/pages/1')
    assert.equal(map.url('paged', { page: 3 }), '/pages/3')
    assert.equal(map.url('users'), '/users')
    assert.equal(map.url('new_user'), '/users/new')
    assert.equal(map.url('user', { id: 'joe' }), '/users/joe')
    assert.equal(map.url('edit_user', { id: 'joe' }), '/users/joe;edit')
    assert.equal(map.url('formatted_user', { id: 'joe', format: 'json' }), '/users/joe.json')
    assert.equal(map.url('formatted_users', { format: 'json' }), '/users.json')
    assert.equal(map.url('recent_users'), '/users/recent')
    assert.equal(map.url('block_user', { id: 'joe' }), '/users/joe/block')
    assert.equal(map.url('preview_new_user'), '/users/new/preview')
    assert.equal(map.url('post_comment', { post_id: 1, id: 2 }), '/posts/1/comments/2')
    assert.equal(map.url('blog_tag', { blog: 'a', id: 'b' }), '/blogs/a/tags/b')
    assert.equal(map.url('photos'), '/photos')
    assert.equal(map.url('admin_log', { realm: 'a', day: 'b' }), '/admin/a/log/b')
    assert.equal(map.url('admin_job', { realm: 'a', id: 1 }), '/admin/a/jobs/1')
    assert.equal(map.url('/raw', { q: ['a', 'b'] }), '/raw?q=a&q=b')
    assert.equal(map.url({ controller: 'users', action: 'index' }), '/users')
  })

  test('wrong uses do not compile, and throw', () => {
    // @ts-expect-error no such route
    assert.throws(() => map.url('hme'), GenerationError)
    // @ts-expect-error the values are missing
    assert.throws(() => map.url('user'), GenerationError)
    // @ts-expect-error the id is missing
    assert.throws(() => map.url('user', { name: 'joe' }), GenerationError)
    // @ts-expect-error an id is no null
    assert.throws(() => map.url('user', { id: null }), GenerationError)
    // @ts-expect-error an id is no list
    assert.throws(() => map.url('user', { id: ['a'] }), GenerationError)
    // @ts-expect-error the month is missing
    assert.throws(() => map.url('dated', { year: 2026, slug: 'x' }), GenerationError)
    // @ts-expect-error the parent's id is missing
    assert.throws(() => map.url('post_comment', { id: 2 }), GenerationError)
    // @ts-expect-error the realm is missing
    assert.throws(() => map.url('admin_log', { day: 'b' }), GenerationError)
    // @ts-expect-error only index and show are left in
    assert.throws(() => map.url('blog_new_tag', { blog: 'a' }), GenerationError)
    // @ts-expect-error new is left out
    assert.throws(() => map.url('new_photo'), GenerationError)
    // @ts-expect-error a format must be given
    assert.throws(() => map.url('formatted_user', { id: 'joe' }), GenerationError)
  })

  test('a mapper defined by statements takes any name', () => {
    const loose = new Mapper()
    loose.connect('late', '/late/{id}')
    assert.equal(loose.url('late', { id: 1 }), '/late/1')
  })

  test('what only looks like a name is none', () => {
    const odd = new Mapper()
      .connect('time', '/12:30/a\\:b')
      .connect('site', 'https://example.com:8080/{x}', { static: true })
      .connect('braces', '/\\{a\\}/{b:[a-z]{1,2}(?:x{2})?}/{c}')
    assert.equal(odd.url('time'), '/12:30/a:b')
    assert.equal(odd.url('site', { x: 1 }), 'https://example.com:8080/1')
    assert.equal(odd.url('braces', { b: 'abxx', c: 1 }), '/%7Ba%7D/abxx/1')
    // @ts-expect-error c is missing
    assert.throws(() => odd.url('braces', { b: 'ab' }), GenerationError)
  })

  test('any mapper serves where a mapper is wanted', () => {
    const count = (mapper: Mapper) => mapper.routes.length
    assert.equal(count(map), map.routes.length)
  })

  test('condition functions and filters know what they are given', () => {
    const typed = new Mapper().connect('typed', '/typed/{x}', {
      conditions: { function: (context, match) => match.x !== context.host },
      filter: (values) => ({ ...values, x: `${values.x}!` }),
    })
    assert.equal(typed.match('/typed/a', { host: 'a' }), null)
    assert.equal(typed.url('typed', { x: 'a' }), '/typed/a%21')
  })

  test('mounted routes keep names and parameters', () => {
    const site = new Mapper().connect('start', '/').mount('/{lang}', map, { namePrefix: 'i18n_' })
    assert.equal(site.url('i18n_user', { lang: 'de', id: 1 }), '/de/users/1')
    // @ts-expect-error the language is missing
    assert.throws(() => site.url('i18n_user', { id: 1 }), GenerationError)
  })

  test('the types behind url serve for functions of one’s own', () => {
    type Routes = NonNullable<typeof map.routeNames>
    function link<Name extends RouteName<Routes>>(name: Name, values: ValuesFor<RouteNamed<Routes, Name>>): string {
      return `<a href="${map.url(name, values)}">`
    }
    assert.equal(link('user', { id: 1 }), '<a href="/users/1">')
    // @ts-expect-error the id is missing
    assert.throws(() => link('user', {}), GenerationError)
  })
})
