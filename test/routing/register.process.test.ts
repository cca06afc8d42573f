import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compile } from './compile.ts'

describe('the compiler', () => {
  for (const entry of ['propylon', 'propylon/routing']) {
    test(`checks this.url with the mapper that is registered in '${entry}'`, async () => {
      const program = `import { Mapper, WSGIController } from 'propylon'
import type {} from '${entry}'
export const map = new Mapper().connect('home', '/').resource('post', 'posts')
declare module '${entry}' {
  interface Register {
    map: typeof map
  }
}
export class PostsController extends WSGIController {
  index() {
    return this.url('home') + this.url('post', { id: 1 }) + this.url('/raw') + this.url({ controller: 'posts' })
  }
  wrong() {
    // @ts-expect-error no such route
    return this.url('psot')
  }
}
`
      assert.equal(await compile(program), '')
    })
  }

  test('has the names of routes that are defined by separate statements', async () => {
    const program = `import { Mapper, type RouteMap, WSGIController } from 'propylon'
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
`
    assert.equal(await compile(program), '')
  })

  test('has the types of the keys of the environ that are registered', async () => {
    const program = `import { type Middleware, WSGIController } from 'propylon'
import type { Environ } from 'propylon/wsgi'
declare module 'propylon' {
  interface Register {
    environ: { 'shop.customer'?: { readonly name: string } }
  }
}
export const middleware: Middleware = (app) => (environ, start_response) => {
  environ['shop.customer'] = { name: 'Ann' }
  // @ts-expect-error a customer is no text
  environ['shop.customer'] = 'Ann'
  environ['other.key'] = 1
  return app(environ, start_response)
}
export class PagesController extends WSGIController {
  index(environ: Environ): string | undefined {
    return this.request.environ['shop.customer']?.name ?? environ['shop.customer']?.name
  }
  wrong(): unknown {
    // @ts-expect-error a customer may be missing
    return this.request.environ['shop.customer'].name
  }
}
`
    assert.equal(await compile(program), '')
  })
})
