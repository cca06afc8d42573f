/**
 * Prints the way of one warm request through the framework: its calls, files, moves between files, and returns to a
 * file that it had left.
 *
 *     npm run flow              prints a table
 *     npm run flow -- hello     lists the walk of one request as well
 *     npm run flow -- --check   fails if a request takes a longer way than LIMITS allow, or ARCHITECTURE.md shows
 *     another walk
 *
 * Each function of `src/` records when it is entered. Functions of Node and of dependencies are not counted.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type AnyNode, parse } from 'acorn'

interface Request {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string
}

/** The way of a request. */
interface Walk {
  readonly calls: number
  readonly files: number
  readonly moves: number
  readonly returns: number
  /** The visits in order: a file and the functions that were entered. */
  readonly visits: readonly string[]
}

/** The longest way of a request. */
const LIMITS: Readonly<Record<string, Pick<Walk, 'calls' | 'files' | 'returns'>>> = {
  hello: { calls: 76, files: 18, returns: 14 },
  'declared action': { calls: 129, files: 25, returns: 33 },
}

/** Requests before the one that is recorded, so that caches are filled. */
const WARM_UP = 50

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))

const functions: { readonly file: string; readonly name: string }[] = []
let entered: number[] | undefined

Object.assign(globalThis, { enterFunction: (id: number) => entered?.push(id) })

registerHooks({
  load(url, context, next) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : ''
    if (!path.startsWith(SOURCE) || !path.endsWith('.ts')) return next(url, context)
    return { format: 'module', source: recording(path), shortCircuit: true }
  },
})

/** Returns the source of a module whose functions record when they are entered. */
function recording(path: string): string {
  const source = stripTypeScriptTypes(readFileSync(path, 'utf8'))
  const edits: [at: number, text: string][] = []
  visit(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }), '', (node, name) => {
    const id = functions.push({ file: path.slice(SOURCE.length, -'.ts'.length), name }) - 1
    const { body } = node
    if (body.type === 'BlockStatement') edits.push([body.start + 1, `enterFunction(${id});`])
    else if (source.slice(0, body.start).trimEnd().endsWith('(')) edits.push([body.start, `enterFunction(${id}),`])
    else edits.push([body.start, `(enterFunction(${id}),`], [body.end, ')'])
  })
  edits.sort(([one], [other]) => other - one)
  let text = source
  for (const [at, inserted] of edits) text = text.slice(0, at) + inserted + text.slice(at)
  return text
}

type FunctionNode = Extract<AnyNode, { body: { type: string }; params: unknown }>

/** Calls `found` for each function below a node, with the name by which it is defined. */
function visit(node: unknown, name: string, found: (node: FunctionNode, name: string) => void): void {
  if (!isNode(node)) return
  const { id, key } = node as { id?: { name?: string } | null; key?: { name?: string } }
  const own = id?.name ?? key?.name ?? ''
  if (isFunction(node)) found(node, own || name || '(anonymous)')
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) visit(each, isFunction(node) ? '' : own, found)
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function isFunction(node: AnyNode): node is FunctionNode {
  return /^(?:Function|ArrowFunction)(?:Expression|Declaration)$/.test(node.type)
}

const { FrameworkApp, Mapper, WSGIController, XMLRPCController } = await import('propylon')
const { int } = await import('propylon/converters')
const { serve } = await import('propylon/node')
const { encodeCall } = await import('propylon/xmlrpc')
const v = await import('valibot')

class HelloController extends WSGIController {
  greet(id: string) {
    return `Hello, ${id}!`
  }
}

class BooksController extends WSGIController {
  static args = { show: { id: int } }
  static results = { show: v.object({ id: v.number(), title: v.string() }) }

  __before__(_action: string) {}

  __after__() {}

  show(id: number) {
    return { id, title: 'Peace', shelf: 'B 12' }
  }
}

class UsersController extends WSGIController {
  async update(id: string) {
    const form = await this.request.form()
    return `${id} is now ${form.get('full_name')}`
  }
}

class SumController extends XMLRPCController {
  test_add(a: number, b: number) {
    return a + b
  }
}

const requests: readonly Request[] = [
  { name: 'hello', method: 'GET', path: '/hello/joe' },
  { name: 'declared action', method: 'GET', path: '/books/7' },
  {
    name: 'form with _method',
    method: 'POST',
    path: '/users/joe',
    type: 'application/x-www-form-urlencoded',
    body: '_method=PUT&full_name=Joe+Doe&email=joe%40example.com',
  },
  {
    name: 'XML-RPC call',
    method: 'POST',
    path: '/sum',
    type: 'text/xml',
    body: encodeCall('test.add', [1, 2]),
  },
]

const map = new Mapper()
  .connect('/hello/{id}', { controller: 'hello', action: 'greet' })
  .connect('/books/{id}', { controller: 'books', action: 'show' })
  .resource('user', 'users')
  .connect('/sum', { controller: 'sum' })
const controllers = {
  hello: HelloController,
  books: BooksController,
  users: UsersController,
  sum: SumController,
}
const server = await serve(new FrameworkApp({ map, controllers }), { port: 0, signals: false })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

const [wanted] = process.argv.slice(2)
const walks: [name: string, walk: Walk][] = []
for (const each of requests) walks.push([each.name, await walkOf(each)])
await server.close()

console.log('| request | calls | files | moves | returns |\n|---|---:|---:|---:|---:|')
for (const [name, { calls, files, moves, returns }] of walks) {
  console.log(`| ${name} | ${calls} | ${files} | ${moves} | ${returns} |`)
}
for (const [name, { visits }] of walks) if (name === wanted) console.log(`\n${visits.join('\n')}`)
if (wanted === '--check') {
  const longer = walks.filter(([name, walk]) => isLonger(walk, LIMITS[name]))
  for (const [name] of longer) console.error(`${name} takes a longer way than LIMITS of scripts/flow.ts allow.`)
  const [hello] = walks
  const isShown = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8').includes(
    hello?.[1].visits.join('\n') ?? '',
  )
  if (!isShown) console.error('ARCHITECTURE.md shows another walk of hello. Copy it from: npm run flow -- hello')
  process.exitCode = longer.length === 0 && isShown ? 0 : 1
}

function isLonger(walk: Walk, limit: (typeof LIMITS)[string] | undefined): boolean {
  if (limit === undefined) return false
  return walk.calls > limit.calls || walk.files > limit.files || walk.returns > limit.returns
}

/** Repeats a request, then follows it. */
async function walkOf(each: Request): Promise<Walk> {
  for (let sent = 0; sent < WARM_UP; sent++) await send(each)
  entered = []
  await send(each)
  // The connection closes the exchange after the client has its response.
  await new Promise((resolve) => setImmediate(resolve))
  const ids = entered
  entered = undefined
  const seen = new Set<string>()
  const visits: string[] = []
  let last = ''
  let returns = 0
  for (const id of ids) {
    const { file = '', name = '' } = functions[id] ?? {}
    if (file === last) {
      visits.push(`${visits.pop()}, ${name}`)
      continue
    }
    if (seen.has(file)) returns++
    seen.add(file)
    visits.push(`${file}: ${name}`)
    last = file
  }
  return { calls: ids.length, files: seen.size, moves: visits.length - 1, returns, visits }
}

function send({ method, path, type, body }: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/html,application/json;q=0.9', ...(type && { 'content-type': type }) }
    const sent = request(new URL(path, server.url), { method, agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${method} ${path} is ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    sent.on('error', reject).end(body)
  })
}
