/** Right uses of a mapper. */
import { type ConnectOptions, Mapper } from 'propylon/routing'

const map = new Mapper()
  .connect('home', '/')
  .connect('post', '/posts/{id}')
  .connect('paged', '/pages/{page}', { page: 1 })
  .resource('user', 'users', { pathPrefix: '/{team}' })
declare const options: ConnectOptions

const defaults = { controller: 'x', action: 'y', lang: 'en', page: 1, draft: false, format: null } as const
new Mapper()
  .connect('a', '/a', defaults)
  .connect('/b', { controller: 'x', format: 'html', filters: 'all', faction: 'y', action: 'z' })
  .connect('/c/{actio}', { actio: 'x', controller: 'x' })
  .connect('/c', options)
  .connect('c', '/c', options)
  .connect('d', '/d', {
    conditions: { method: ['GET', 'PUT'], function: (context, match) => match.x === context.host },
  })
  .connect(null, '/e', { static: true, formats: ['rss'], requirements: { format: /x/ } })
  .resource('user', 'users', { controller: 'x', only: ['index'], conditions: { method: 'GET' } })
  .submapper({ pathPrefix: '/x', controller: 'x', lang: 'en' }, (x) => x.connect('y', '/y', { page: 1 }))
map.url('post', { id: 1, anchor: 'x', qualified: true, host: 'example.com' }, { query: { a: [1, null], b: undefined } })
map.url('paged', { page: 2 }) + map.url('paged') + map.url('home', {}, { query: { page: 1 } })
map.url('user', { team: 'a', id: 1n }) + map.url('/raw', { q: 1 }) + map.url({ controller: 'x', id: 1 })
const filtered = new Mapper()
  .connect('shown', '/{id}', { filter: (values) => values })
  .resource('user', 'users', { filter: (values) => values })
filtered.url('shown', { user: 1 }) + filtered.url('user', { user: 1 }) + filtered.url('shown')
for (const path of ['/a', '/b'])
  new Mapper().connect(path, { controller: 'x' }).connect(path, path).url(path, { any: 1 })
