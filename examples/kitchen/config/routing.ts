// Routes: URLs to controllers and actions.
import { Mapper, type RouteMap } from 'propylon'

/** Maps URLs to controllers and actions. The first matching route wins. */
export const map: RouteMap = new Mapper({ editPath: '/edit' })

map.connect('home', '/', { controller: 'pages', action: 'index' })

map.resource('recipe', 'recipes')
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
