import { Mapper } from 'propylon'

/** Returns the options of a route to an action, for one method. */
const to = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', controller: string, action: string) => {
  return { controller, action, conditions: { method: [method] } }
}

/** Maps URLs to controllers and actions. The first matching route wins. */
export const map = new Mapper()
  .connect('home', '/', to('GET', 'pages', 'home'))

  .connect('pages', '/page{.format}', to('GET', 'pages', 'index'))
  .connect('create_page', '/page{.format}', to('POST', 'pages', 'create'))
  .connect('new_page', '/page/new', to('GET', 'pages', 'new'))
  .connect('edit_page', '/page/{title};edit', to('GET', 'pages', 'edit'))
  .connect('page', '/page/{title}{.format}', to('GET', 'pages', 'show'))
  .connect('/page/{title}{.format}', to('PUT', 'pages', 'update'))
  .connect('/page/{title}{.format}', to('DELETE', 'pages', 'delete'))

  .connect('history', '/page/{title}/history{.format}', to('GET', 'history', 'index'))
  .connect('version', '/page/{title}/history/{version}{.format}', to('GET', 'history', 'show'))

  .connect('files', '/page/{title}/files{.format}', to('GET', 'files', 'index'))
  .connect('/page/{title}/files{.format}', to('POST', 'files', 'create'))
  .connect('file', '/page/{title}/files/{name}', to('GET', 'files', 'show'))
  .connect('/page/{title}/files/{name}', to('DELETE', 'files', 'delete'))

  .connect('search', '/search{.format}', to('GET', 'search', 'index'))
  .connect('feed', '/feed.atom', to('GET', 'feed', 'index'))
  .connect('events', '/events', to('GET', 'events', 'index'))

  .rpc('rpc', '/rpc')
  .connect('/style.css', { controller: 'style' })

  .connect('register', '/register', to('GET', 'register', 'new'))
  .connect('/register', to('POST', 'register', 'create'))
  .connect('login', '/login', to('GET', 'login', 'new'))
  .connect('/login', to('POST', 'login', 'create'))
  .connect('logout', '/logout', to('POST', 'login', 'delete'))

  .connect('users', '/admin/users{.format}', to('GET', 'admin/users', 'index'))
  .connect('user', '/admin/users/{name}', to('DELETE', 'admin/users', 'delete'))

// The compiler checks `this.url` with the names of the routes.
declare module 'propylon' {
  interface Register {
    map: typeof map
  }
}
