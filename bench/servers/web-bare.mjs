// The baseline on Bun and Deno: the equivalent of node.mjs, written directly on Request and Response.
import { findUser, otherCollections, stream, UserForm } from '../works/data.ts'
import { usersPage } from './pages.mjs'

const text = (status, body) => new Response(body, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })

const typed = (type, body) => new Response(body, { headers: { 'Content-Type': type } })

function showUser(_request, id) {
  const user = findUser(id)
  return user === undefined ? text(404, 'Not Found') : typed('application/json', JSON.stringify(user))
}

async function createUser(request) {
  if (
    !/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '') ||
    !(Number(request.headers.get('content-length')) <= 1024 * 1024)
  ) {
    return text(400, 'Bad Request')
  }
  const fields = Object.fromEntries(new URLSearchParams(await request.text()))
  const { success, data } = UserForm.safeParse(fields)
  if (!success) return text(400, 'Bad Request')
  const { name } = data
  const headers = { Location: `/users/${name}`, 'Content-Type': 'text/plain; charset=utf-8' }
  return new Response(`Created ${name}`, { status: 201, headers })
}

const say = (word) => () => text(200, word)
const sayId = (_request, id) => text(200, id)

const exact = new Map([
  ['/hello/index', new Map([['GET', say('Hello World')]])],
  ['/files/stream', new Map([['GET', () => typed('application/octet-stream', ReadableStream.from(stream()))]])],
  [
    '/users',
    new Map([
      ['GET', () => typed('text/html; charset=utf-8', usersPage())],
      ['POST', createUser],
    ]),
  ],
])
const members = new Map([
  [
    '/users',
    new Map([
      ['GET', showUser],
      ['PUT', sayId],
      ['DELETE', sayId],
    ]),
  ],
])
for (const name of otherCollections) {
  exact.set(
    `/${name}`,
    new Map([
      ['GET', say(name)],
      ['POST', say(name)],
    ]),
  )
  members.set(
    `/${name}`,
    new Map([
      ['GET', sayId],
      ['PUT', sayId],
      ['DELETE', sayId],
    ]),
  )
}

function handle(request) {
  const { url, method } = request
  const begin = url.indexOf('/', 8)
  const query = url.indexOf('?', begin)
  const path = query < 0 ? url.slice(begin) : url.slice(begin, query)
  let methods = exact.get(path)
  let id
  if (methods === undefined) {
    const slash = path.lastIndexOf('/')
    methods = members.get(path.slice(0, slash))
    if (methods === undefined || slash === path.length - 1) return text(404, 'Not Found')
    try {
      id = decodeURIComponent(path.slice(slash + 1))
    } catch {
      return text(400, 'Bad Request')
    }
  }
  const handler = methods.get(method === 'HEAD' ? 'GET' : method)
  if (handler !== undefined) return handler(request, id)
  const response = text(405, 'Method Not Allowed')
  response.headers.set('Allow', [...methods.keys()].join(', '))
  return response
}

export default { fetch: handle }
