/** A mapper whose routes are defined by separate statements. */
import { Mapper, type RouteMap, WSGIController } from 'propylon'

export const map: RouteMap = new Mapper()
map.connect('home', '/', { controller: 'pages', action: 'index' })
map.connect('/about', { controller: 'pages', action: 'about' })
map.resource('post', 'posts', { pathPrefix: '/{blog}', namePrefix: 'blog_' })
map.resource('page', 'pages')
map.resource('page', 'pages', { controller: 'admin/pages', pathPrefix: '/admin', namePrefix: 'admin_' })
map.submapper({ pathPrefix: '/{site}', namePrefix: 'site_' }, (site) => site.connect('map', '/map').connect('/x'))
map.mount('/{shop}', new Mapper().connect('cart', '/cart'), { namePrefix: 'shop_' })

export type Routes = typeof map

declare module 'propylon' {
  interface Register {
    map: Routes
  }
}

export class PostsController extends WSGIController {
  index() {
    const posts = this.url('blog_posts', { blog: 'a' }) + this.url('edit_page', { id: 1 }) + this.url('admin_pages')
    return this.url('home') + posts + this.url('site_map', { site: 1 }) + this.url('shop_cart', { shop: 2 })
  }
  wrong() {
    // @ts-expect-error no such route
    this.url('psots')
    // @ts-expect-error blog is missing
    this.url('blog_posts')
    // @ts-expect-error site is missing
    this.url('site_map', {})
    // @ts-expect-error id is missing
    return this.url('page')
  }
}
