/** A library whose actions are tools, resources and prompts. */
import { abort, created, eventStream, FrameworkApp, type FrameworkAppOptions, Mapper, WSGIController } from 'propylon'
import { body, int, optional, string } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const Book = v.object({ id: v.number(), title: v.string() })
const NewBook = v.object({ title: v.pipe(v.string(), v.minLength(1, 'Please enter a title')) })

const titles = new Map([
  [7, 'Emma'],
  [8, 'A <b> & "c"'],
])

/** Requests that reached an action or a hook, in order. */
export const seen: string[] = []

class BooksController extends WSGIController {
  static tools = [
    'index',
    'show',
    'create',
    'update',
    'delete',
    'cover',
    'notes',
    'blocks',
    'count',
    'leave',
    'page',
    'fails',
    'secret',
    'forbidden',
    'gone',
    'lent',
    'wrong',
    'cookie',
    'echo',
    'whoami',
  ]
  static resources = ['index', 'show', 'cover', 'search', 'secret', 'gone', 'page', 'leave', 'fails', 'cached']
  static prompts = {
    review: 'books/review',
    plain: 'books/plain',
    blocks_of: 'books/plain',
    guarded: 'books/plain',
  }
  static args = {
    index: { page: optional(int, 1), tags: optional(string) },
    show: { id: int },
    cover: { id: int },
    create: { book: body(NewBook) },
    update: { id: int, book: body(NewBook) },
    delete: { id: int },
    search: { q: string },
    review: { id: int, style: optional(string, 'short') },
    plain: { subject: string },
  }
  static results = {
    index: v.array(Book),
    show: Book,
    create: Book,
    update: v.object({ id: v.number(), title: v.string() }),
    delete: null,
    leave: Book,
    wrong: Book,
  }
  static pages = { show: 'books/show' }

  __before__(action: string) {
    seen.push(`${this.request.method} ${this.request.pathAndQuery} ${action}`)
    if (action === 'guarded' && this.request.header('authorization') !== 'Bearer good') abort(401, 'Sign in.')
  }

  /**
   * Lists the books.
   *
   * @param page the number of the page
   */
  index(page: number, tags?: string) {
    return [...titles].slice(0, page * 10).map(([id, title]) => ({ id, title: title + (tags ?? '') }))
  }

  /** Shows a book. */
  show(id: number) {
    return { id, title: titles.get(id) ?? abort(404, 'No such book.') }
  }

  new() {
    return 'a form'
  }

  create(book: v.InferOutput<typeof NewBook>) {
    return created('/books/9', { id: 9, ...book })
  }

  update(id: number, book: v.InferOutput<typeof NewBook>) {
    return { id, ...book }
  }

  delete(id: number) {
    titles.has(id)
  }

  cover(id: number) {
    return new Response(Uint8Array.of(id), { headers: { 'Content-Type': 'image/png' } })
  }

  notes() {
    return new Response(Uint8Array.of(1, 2), { headers: { 'Content-Type': 'application/pdf' } })
  }

  blocks() {
    return {
      content: [
        { type: 'text', text: 'one' },
        { type: 'resource_link', uri: 'http://localhost/books', name: 'books' },
      ],
    }
  }

  count() {
    return eventStream(counting())
  }

  leave() {
    return Response.redirect('http://localhost/books', 302)
  }

  page() {
    return '<p>Hello</p>'
  }

  search(q: string) {
    this.response.contentType = 'text/plain'
    return q
  }

  cached() {
    this.response.cacheControl = 'public, max-age=60'
    return { cached: true }
  }

  fails() {
    throw new RangeError('swordfish')
  }

  secret() {
    abort(401, 'Sign in.', { 'WWW-Authenticate': 'Bearer realm="books"' })
  }

  forbidden() {
    abort(403, 'Not you.')
  }

  gone() {
    abort(410, 'It was sold.')
  }

  lent() {
    this.response.status = 409
    return 'Ann has it.'
  }

  wrong() {
    return new Response('not JSON', { headers: { 'Content-Type': 'text/plain' } })
  }

  cookie() {
    this.response.setCookie('a', 'b')
    return {}
  }

  echo(id: string) {
    return { id }
  }

  whoami() {
    const { request } = this
    return {
      agent: request.header('user-agent') ?? null,
      accept: request.header('accept') ?? null,
      encoding: request.header('accept-encoding') ?? null,
      address: request.environ.REMOTE_ADDR ?? null,
      middleware: request.environ['test.middleware'] ?? null,
    }
  }

  /**
   * Reviews a book.
   *
   * @param id the number of the book
   */
  review(id: number, style: string) {
    return { title: titles.get(id) ?? abort(404, 'No such book.'), style }
  }

  blocks_of() {
    return { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }
  }

  guarded() {
    return {}
  }
}

async function* counting() {
  yield { event: 'progress', data: { progress: 1, total: 2, message: 'one' } }
  yield { event: 'progress', data: { progress: 1 } }
  yield { event: 'log', data: { level: 'info', data: 'halfway' } }
  yield { event: 'log', data: { level: 'error', data: { reason: 'none' } } }
  yield { data: 'first' }
  yield { event: 'progress', data: { progress: 2, total: 2 } }
  yield { event: 'result', data: 'last\nline' }
}

export function libraryApp(options: Partial<FrameworkAppOptions> = {}): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper()
      .resource('book', 'books')
      .connect('/shelf/{action}', { controller: 'books' })
      .connect('/shelf/{action}/{id}', { controller: 'books' }),
    controllers: { books: BooksController },
    templates: {
      'books/show': '<h1><%= it.title %></h1>',
      'books/review': 'Review <%= it.title %> (<%= it.style %>).',
      'books/plain': 'About <%= it.subject %>.',
    },
    logger: { info() {}, warn() {}, error: (message) => void logged.push(message) },
    mcp: { name: 'library', version: '2.0.0', instructions: 'Books.' },
    ...options,
  })
}

/** Messages of errors. */
export const logged: string[] = []

const META = 'io.modelcontextprotocol/'

/** A response of the protocol. */
export interface Message {
  readonly result: Readonly<Record<string, unknown>>
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined
}

/** Returns the message of a response. The result is empty if there is none. */
export function messageOf(response: { json<T>(): T }): Message {
  return { result: {}, error: undefined, ...response.json<Partial<Message>>() }
}

/** Returns the text of the first block of a result. */
export function firstText({ content }: Message['result']): string {
  const [block] = content as { text: string }[]
  return block?.text ?? ''
}

/** Sends a request of version 2026-07-28. */
export function modern(
  app: FrameworkApp,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, meta = {} }: { headers?: Record<string, string>; meta?: Record<string, unknown> } = {},
) {
  const name = params.name ?? params.uri
  const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {}, ...meta }
  return new TestApp(app, { errors: 'page' }).postJson(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      headers: {
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': method,
        ...(typeof name === 'string' && { 'Mcp-Name': name }),
        ...headers,
      },
    },
  )
}
