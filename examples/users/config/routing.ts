import { Mapper } from 'propylon'

/** The way from URLs to actions. The first route that fits is taken. */
export const map = new Mapper()
  .connect('home', '/', { controller: 'pages', action: 'index' })
  .connect('stylesheet', '/style.css', { controller: 'pages', action: 'stylesheet' })
  .resource('user', 'users')
  .connect('environ', '/environ/{path_info:.*}', { controller: 'environ' })
  .connect('/{controller}', { action: 'index' })
  .connect('/{controller}/{action}')
  .connect('/{controller}/{action}/{id}')
