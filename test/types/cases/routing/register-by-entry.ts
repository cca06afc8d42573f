/** A mapper that is registered in `propylon`. */

import type {} from 'propylon'
import { Mapper, WSGIController } from 'propylon'

export const map = new Mapper().connect('home', '/').resource('post', 'posts')
declare module 'propylon' {
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
