/** Types of keys of the environ that are registered. */
import { type Middleware, WSGIController } from 'propylon'
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
