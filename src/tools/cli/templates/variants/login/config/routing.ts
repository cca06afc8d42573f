// Routes: URLs to controllers and actions. The first match wins.
import { Mapper, type RouteMap } from 'propylon'

const GET = { conditions: { method: 'GET' } }
const POST = { conditions: { method: 'POST' } }
export const map: RouteMap = new Mapper({ editPath: '/edit' })

map.connect('home', '/', { controller: 'pages', action: 'index' })

// An action with a body() takes no GET.
map.connect('register', '/register', { controller: 'login', action: 'register', ...GET })
map.connect('create_user', '/register', { controller: 'login', action: 'create_user' })
map.connect('confirm', '/register/confirm', { controller: 'login', action: 'confirm', ...GET })
map.connect('accept', '/register/confirm', { controller: 'login', action: 'accept', ...POST })
map.connect('login', '/login', { controller: 'login', action: 'new', ...GET })
map.connect('sign_in', '/login', { controller: 'login', action: 'create' })
map.connect('logout', '/logout', { controller: 'login', action: 'delete', ...POST })
map.connect('forgot', '/password/forgot', { controller: 'login', action: 'forgot', ...GET })
map.connect('send_reset', '/password/forgot', { controller: 'login', action: 'send_reset' })
map.connect('reset', '/password/reset', { controller: 'login', action: 'reset', ...GET })
map.connect('set_password', '/password/reset', { controller: 'login', action: 'set_password' })
map.connect('account', '/account', { controller: 'account', action: 'index', ...GET })
map.connect('send_link', '/account/confirm', { controller: 'account', action: 'send_link', ...POST })
map.connect('edit_password', '/account/password', { controller: 'account', action: 'edit_password', ...GET })
map.connect('update_password', '/account/password', { controller: 'account', action: 'update_password' })
map.connect('create_token', '/account/tokens', { controller: 'account', action: 'create_token' })
map.connect('revoke_token', '/account/tokens/{id}', { controller: 'account', action: 'revoke_token', ...POST })
map.connect('users', '/admin/users', { controller: 'admin/users', action: 'index', ...GET })
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
