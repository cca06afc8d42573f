/** Serves the books with their document. */
import { FrameworkApp, Mapper } from 'propylon'
import { serve } from 'propylon/node'
import { BooksController, reset, TEMPLATES } from '../../controllers/declarations/books.ts'

/** The books at a URL, until it is disposed. */
export async function serveBooks(): Promise<AsyncDisposable & { readonly url: string; readonly document: object }> {
  reset()
  const app = new FrameworkApp({
    map: new Mapper().resource('book', 'books'),
    controllers: { books: BooksController },
    templates: TEMPLATES,
    openapi: { title: 'Books', version: '1.0.0' },
  })
  const document = (await app.openapi()) ?? {}
  const handle = await serve(app, { port: 0, signals: false })
  return { url: handle.url, document, [Symbol.asyncDispose]: () => handle.close() }
}
