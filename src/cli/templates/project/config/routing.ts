import { Mapper } from 'propylon'

/** Maps URLs to controllers and actions. The first matching route wins. */
export const map = new Mapper()

map.connect('home', '/', { controller: 'pages', action: 'index' })

// New routes go above this line: the default routes match all remaining paths.
map.connect('/{controller}', { action: 'index' })
map.connect('/{controller}/{action}')
map.connect('/{controller}/{action}/{id}')
