import { Mapper } from 'propylon'

/** Which URL leads to which controller and action. The first route that fits is taken. */
export const map = new Mapper()

map.connect('home', '/', { controller: 'pages', action: 'index' })

// New routes go above this line: the default routes take what is left.
map.connect('/{controller}', { action: 'index' })
map.connect('/{controller}/{action}')
map.connect('/{controller}/{action}/{id}')
