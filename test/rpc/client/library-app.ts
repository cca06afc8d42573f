/** An application that answers as library.json says, and actions that do not. */
import { readFileSync } from 'node:fs'
import { abort, FrameworkApp, HTTPBadRequest, Mapper, Response, redirect, WSGIController } from 'propylon'

const document = readFileSync(new URL('./library.json', import.meta.url), 'utf8')

/** What the last request was, for tests. */
export const last: { method: string; url: string; headers: Record<string, string> } = {
  method: '',
  url: '',
  headers: {},
}

class BooksController extends WSGIController {
  __before__() {
    const { method, environ, headers } = this.request
    Object.assign(last, { method, url: environ.REQUEST_URI, headers: Object.fromEntries(headers) })
  }
  index() {
    const page = Number(this.request.query.get('page') ?? 1)
    if (page === 303) redirect(this.url('pages'), 303)
    return { items: [{ id: 1, title: this.request.query.getAll('tag').join('|'), year: null }], page }
  }
  async create() {
    const { title, year = null } = Object(await this.request.json())
    if (title === '') {
      const errors = [{ name: 'title', detail: 'Enter a title.' }]
      throw new HTTPBadRequest('The book is not valid.', {}, { json: { errors } })
    }
    if (title === 'redirected') redirect(this.url('pages'), 303)
    return new Response(JSON.stringify({ id: 2, title, year }), {
      status: 201,
      headers: { 'Content-Type': 'application/json' },
    })
  }
  show(id: string) {
    if (id === '404') abort(404, 'No such book.')
    if (id === '500') return new Response('<h1>Broken</h1>', { status: 500 })
    if (id === '202') return new Response('{}', { status: 202, headers: { 'Content-Type': 'application/json' } })
    if (id === '9') return new Response('{"id":', { headers: { 'Content-Type': 'application/json' } })
    return { id: Number(id), title: 'Emma', year: 1815 }
  }
  async update(id: string) {
    const { title, year = null } = Object(await this.request.json())
    return { id: Number(id), title, year }
  }
  delete() {
    return new Response(null, { status: 204 })
  }
  async cover() {
    const form = await this.request.form()
    const described = [
      ...[...form].map(([name, value]) => `${name}=${value}`),
      ...form.files.map(({ name, filename, type, size }) => `${name}:${filename}:${type}:${size}`),
    ]
    Object.assign(last.headers, { parts: described.join(' ') })
    return { size: described.length }
  }
  text(id: string) {
    this.response.contentType = 'text/plain'
    return `The text of ${id}`
  }
  async slow() {
    const { signal } = this.request
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
}

class PagesController extends WSGIController {
  index() {
    return '<h1>A page</h1>'
  }
  document() {
    this.response.contentType = 'application/json'
    return document
  }
}

class ReportsController extends WSGIController {
  reports() {
    return ['years']
  }
  index() {
    this.response.contentType = 'application/json'
    return '3'
  }
  post() {
    return new Response(null, { status: 204 })
  }
}

const map = new Mapper()
  .connect('/openapi.json', { controller: 'pages', action: 'document' })
  .connect('pages', '/pages', { controller: 'pages', action: 'index' })
  .resource('book', 'books')
  .connect('/books/{id}/cover', { controller: 'books', action: 'cover', conditions: { method: ['PUT'] } })
  .connect('/books/{id}/text', { controller: 'books', action: 'text' })
  .connect('/slow/{id}', { controller: 'books', action: 'slow' })
  .connect('/admin/reports', { controller: 'reports', action: 'reports' })
  .connect('/admin/reports/list', { controller: 'reports', action: 'post', conditions: { method: ['POST'] } })
  .connect('/admin/reports/list', { controller: 'reports', action: 'index' })

export function libraryApp(): FrameworkApp {
  return new FrameworkApp({
    map,
    controllers: { books: BooksController, pages: PagesController, reports: ReportsController },
    logger: { info() {}, warn() {}, error() {} },
  })
}
