import { Mapper } from 'propylon'

const GET = { method: ['GET'] }
const POST = { method: ['POST'] }
const PUT = { method: ['PUT'] }
const DELETE = { method: ['DELETE'] }

/** Maps URLs to controllers and actions. The first matching route wins. */
export const map = new Mapper()
  .connect('home', '/', { controller: 'pages', action: 'home', conditions: GET })

  .connect('pages', '/page{.format}', { controller: 'pages', action: 'index', conditions: GET })
  .connect('create_page', '/page{.format}', { controller: 'pages', action: 'create', conditions: POST })
  .connect('new_page', '/page/new', { controller: 'pages', action: 'new', conditions: GET })
  .connect('edit_page', '/page/{title};edit', { controller: 'pages', action: 'edit', conditions: GET })
  .connect('page', '/page/{title}{.format}', { controller: 'pages', action: 'show', conditions: GET })
  .connect('/page/{title}{.format}', { controller: 'pages', action: 'update', conditions: PUT })
  .connect('/page/{title}{.format}', { controller: 'pages', action: 'delete', conditions: DELETE })

  .connect('history', '/page/{title}/history{.format}', {
    controller: 'history',
    action: 'index',
    conditions: GET,
  })
  .connect('version', '/page/{title}/history/{version}{.format}', {
    controller: 'history',
    action: 'show',
    conditions: GET,
  })

  .connect('files', '/page/{title}/files{.format}', { controller: 'files', action: 'index', conditions: GET })
  .connect('/page/{title}/files{.format}', { controller: 'files', action: 'create', conditions: POST })
  .connect('file', '/page/{title}/files/{name}', { controller: 'files', action: 'show', conditions: GET })
  .connect('/page/{title}/files/{name}', { controller: 'files', action: 'delete', conditions: DELETE })

  .connect('search', '/search{.format}', { controller: 'search', action: 'index', conditions: GET })
  .connect('feed', '/feed.atom', { controller: 'feed', action: 'index', conditions: GET })
  .connect('events', '/events', { controller: 'events', action: 'index', conditions: GET })

  .rpc('rpc', '/rpc')

  .connect('register', '/register', { controller: 'register', action: 'new', conditions: GET })
  .connect('/register', { controller: 'register', action: 'create', conditions: POST })
  .connect('login', '/login', { controller: 'login', action: 'new', conditions: GET })
  .connect('/login', { controller: 'login', action: 'create', conditions: POST })
  .connect('logout', '/logout', { controller: 'login', action: 'delete', conditions: POST })

  .connect('users', '/admin/users{.format}', { controller: 'admin/users', action: 'index', conditions: GET })
  .connect('user', '/admin/users/{name}', { controller: 'admin/users', action: 'delete', conditions: DELETE })

// The compiler checks `this.url` with the names of the routes.
declare module 'propylon' {
  interface Register {
    map: typeof map
  }
}
