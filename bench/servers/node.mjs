// The baseline: a correct server written directly on node:http. Decodes paths and looks them up in tables, handles HEAD
// like GET, responds with 404 and with 405 and Allow, sends Content-Length, checks the type, the charset and the size of forms, and
// streams with back-pressure until the client disconnects.
import { createServer } from 'node:http'
import { findUser, largeStream, otherCollections, stream, UserForm } from '../works/data.ts'
import { usersPage } from './pages.mjs'
import { listen, SERVER_OPTIONS } from './ready.mjs'

const MAX_FORM = 1024 * 1024

function send(res, status, type, body) {
  res.writeHead(status, ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(body))])
  res.end(body)
}

const text = (res, status, body) => send(res, status, 'text/plain; charset=utf-8', body)

function hello(_req, res) {
  text(res, 200, 'Hello World')
}

function showUser(_req, res, id) {
  const user = findUser(id)
  if (user === undefined) text(res, 404, 'Not Found')
  else send(res, 200, 'application/json', JSON.stringify(user))
}

function listUsers(_req, res) {
  send(res, 200, 'text/html; charset=utf-8', usersPage())
}

function createUser(req, res) {
  // Another charset would be decoded wrongly.
  const type = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?([^";]*)"?\s*)?$/i.exec(
    req.headers['content-type'] ?? '',
  )
  if (type === null || !/^(?:utf-8)?$/i.test(type[1] ?? '')) return text(res, 415, 'Unsupported Media Type')
  if (Number(req.headers['content-length'] ?? 0) > MAX_FORM) {
    res.shouldKeepAlive = false
    return text(res, 413, 'Content Too Large')
  }
  const chunks = []
  let length = 0
  req.on('data', (chunk) => {
    length += chunk.length
    if (length <= MAX_FORM) chunks.push(chunk)
  })
  req.on('end', () => {
    if (length > MAX_FORM) return text(res, 413, 'Content Too Large')
    const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
    const { success, data } = UserForm.safeParse(fields)
    if (!success) return text(res, 400, 'Bad Request')
    const { name } = data
    const body = `Created ${name}`
    res.writeHead(201, [
      'Location',
      `/users/${name}`,
      'Content-Type',
      'text/plain; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(body)),
    ])
    res.end(body)
  })
}

async function sendStream(req, res, chunks) {
  res.writeHead(200, ['Content-Type', 'application/octet-stream'])
  if (req.method === 'HEAD') return res.end()
  let goOn = () => {}
  res.on('drain', () => goOn()).on('close', () => goOn())
  try {
    for await (const chunk of chunks) {
      if (res.destroyed) return
      if (res.write(chunk)) continue
      await new Promise((resolve) => {
        goOn = resolve
      })
    }
    res.end()
  } catch (error) {
    res.destroy(error)
  }
}

const index = (name) => (_req, res) => text(res, 200, name)
const member = (name) => (_req, res, id) => text(res, 200, `${name} ${id}`)

const exact = new Map([
  ['/hello/index', new Map([['GET', hello]])],
  ['/files/stream', new Map([['GET', (req, res) => sendStream(req, res, stream())]])],
  ['/files/large', new Map([['GET', (req, res) => sendStream(req, res, largeStream())]])],
  [
    '/users',
    new Map([
      ['GET', listUsers],
      ['POST', createUser],
    ]),
  ],
])
const members = new Map([
  [
    '/users',
    new Map([
      ['GET', showUser],
      ['PUT', member('users')],
      ['DELETE', member('users')],
    ]),
  ],
])
for (const name of otherCollections) {
  exact.set(
    `/${name}`,
    new Map([
      ['GET', index(name)],
      ['POST', index(name)],
    ]),
  )
  members.set(
    `/${name}`,
    new Map([
      ['GET', member(name)],
      ['PUT', member(name)],
      ['DELETE', member(name)],
    ]),
  )
}

function handle(req, res) {
  const { url, method } = req
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  let methods = exact.get(path)
  let id
  if (methods === undefined) {
    const slash = path.lastIndexOf('/')
    methods = members.get(path.slice(0, slash))
    if (methods === undefined || slash === path.length - 1) return text(res, 404, 'Not Found')
    try {
      id = decodeURIComponent(path.slice(slash + 1))
    } catch {
      return text(res, 400, 'Bad Request')
    }
  }
  const handler = methods.get(method === 'HEAD' ? 'GET' : method)
  if (handler === undefined) {
    res.setHeader('Allow', [...methods.keys()].join(', '))
    return text(res, 405, 'Method Not Allowed')
  }
  handler(req, res, id)
}

listen(createServer(SERVER_OPTIONS, handle))
