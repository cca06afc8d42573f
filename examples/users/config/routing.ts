import { Mapper } from 'propylon'

/** Routes of the application. The first route that matches a request is used. */
export const map = new Mapper()
  .connect('home', '/', { controller: 'pages', action: 'index' })
  .resource('user', 'users')
  .connect('/style.css', { controller: 'style' })
  .connect('environ', '/environ/{path_info:.*}', { controller: 'environ' })
  .connect('/{controller}', { action: 'index' })
  .connect('/{controller}/{action}')
  .connect('/{controller}/{action}/{id}')

// Registers the names of the routes with the compiler, which checks `this.url` with them.
declare module 'propylon' {
  interface Register {
    map: typeof map
  }
}
