// Routes: URLs to controllers and actions.
import { Mapper, type RouteMap } from 'propylon'

/** Maps URLs to controllers and actions. The first matching route wins. */
export const map: RouteMap = new Mapper({ editPath: '/edit' })

map.connect('home', '/', { controller: 'pages', action: 'index' })

const GET = { conditions: { method: ['GET'] } }
const POST = { conditions: { method: ['POST'] } }
// An action with a body() takes no GET.
map.connect('register', '/register', { controller: 'register', action: 'new', ...GET })
map.connect('create_user', '/register', { controller: 'register', action: 'create' })
map.connect('confirm', '/register/confirm', { controller: 'register', action: 'confirm', ...GET })
map.connect('accept', '/register/confirm', { controller: 'register', action: 'accept' })
map.connect('send_confirmation', '/account/confirm', { controller: 'register', action: 'send', ...POST })
map.connect('login', '/login', { controller: 'login', action: 'new', ...GET })
map.connect('sign_in', '/login', { controller: 'login', action: 'create' })
map.connect('logout', '/logout', { controller: 'login', action: 'delete', ...POST })
map.connect('forgot', '/password/forgot', { controller: 'passwords', action: 'forgot', ...GET })
map.connect('send_reset', '/password/forgot', { controller: 'passwords', action: 'send' })
map.connect('reset', '/password/reset', { controller: 'passwords', action: 'reset', ...GET })
map.connect('change_password', '/password/reset', { controller: 'passwords', action: 'change' })
map.connect('account', '/account', { controller: 'account', action: 'index', ...GET })
map.connect('edit_password', '/account/password', { controller: 'account', action: 'edit_password', ...GET })
map.connect('update_password', '/account/password', { controller: 'account', action: 'update_password' })
map.resource('token', 'tokens', { pathPrefix: '/account', only: ['index', 'create', 'delete'] })
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
