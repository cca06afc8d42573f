// Routes: URLs to controllers and actions.
import { Mapper, type RouteMap } from 'propylon'

/** Maps URLs to controllers and actions. The first matching route wins. */
export const map: RouteMap = new Mapper({ editPath: '/edit' })

map.connect('home', '/', { controller: 'pages', action: 'index' })

const [GET, POST] = [{ method: ['GET'] }, { method: ['POST'] }]
// An action with a body() takes no GET.
map.connect('register', '/register', { controller: 'register', action: 'new', conditions: GET })
map.connect('create_user', '/register', { controller: 'register', action: 'create' })
map.connect('confirm', '/register/confirm', { controller: 'register', action: 'confirm', conditions: GET })
map.connect('accept', '/register/confirm', { controller: 'register', action: 'accept' })
map.connect('send_confirmation', '/account/confirm', {
  controller: 'register',
  action: 'send',
  conditions: POST,
})
map.connect('login', '/login', { controller: 'login', action: 'new', conditions: GET })
map.connect('sign_in', '/login', { controller: 'login', action: 'create' })
map.connect('logout', '/logout', { controller: 'login', action: 'delete', conditions: POST })
map.connect('forgot', '/password/forgot', { controller: 'passwords', action: 'forgot', conditions: GET })
map.connect('send_reset', '/password/forgot', { controller: 'passwords', action: 'send' })
map.connect('reset', '/password/reset', { controller: 'passwords', action: 'reset', conditions: GET })
map.connect('change_password', '/password/reset', { controller: 'passwords', action: 'change' })
map.connect('account', '/account', { controller: 'account', action: 'index', conditions: GET })
map.connect('edit_password', '/account/password', {
  controller: 'account',
  action: 'edit_password',
  conditions: GET,
})
map.connect('update_password', '/account/password', { controller: 'account', action: 'update_password' })
map.connect('tokens', '/account/tokens', { controller: 'tokens', action: 'index', conditions: GET })
map.connect('create_token', '/account/tokens', { controller: 'tokens', action: 'create' })
map.connect('revoke_token', '/account/tokens/{id}', {
  controller: 'tokens',
  action: 'delete',
  conditions: { method: ['DELETE'] },
})
map.connect('users', '/admin/users', { controller: 'admin/users', action: 'index', conditions: GET })
map.connect('set_role', '/admin/users/{name}/role', { controller: 'admin/users', action: 'set_role' })

// New routes go above this line: the default routes match all remaining paths.
map.connect('/{controller}', { action: 'index' })
map.connect('/{controller}/{action}')
map.connect('/{controller}/{action}/{id}')

/** The names of the routes above. The compiler checks `this.url` with them. */
export type Routes = typeof map

declare module 'propylon' {
  interface Register {
    map: Routes
  }
}
