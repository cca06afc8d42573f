/** The operations of an API. */
export interface Client {
  index(args?: NoArguments, options?: CallOptions): Promise<void>
}

/** Creates a client of the API. */
export function createClient(options: ClientOptions): Client {
  const call = callsOf(options)
  return {
    index: call({ method: 'GET', path: '/', results: { 204: ['none'] } }),
  }
}

/** Body of an error. */
export type ApiProblem = ProblemDetails

function readProblem(type: string, text: string): ApiProblem | undefined {
  return type === 'application/problem+json' ? problemIn(text) : undefined
}

// The rest is the same for every API.

/** Options of a client. */
export interface ClientOptions {
  /** URL of the application, with its mount point: `https://example.org/library`. In a browser it can be relative. */
  readonly baseUrl: string | URL
  /** Headers of every request, or a function that returns them, such as one that reads a token. */
  readonly headers?: ClientHeaders | (() => ClientHeaders | Promise<ClientHeaders>) | undefined
  /** Sends a request. Default: `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Headers by name. */
export type ClientHeaders = Readonly<Record<string, string>>

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: its promise is rejected with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** Problem details (RFC 9457). */
export interface ProblemDetails {
  readonly type?: string
  readonly title?: string
  readonly status?: number
  readonly detail?: string
  readonly instance?: string
  /** Fields that are not valid. */
  readonly errors?: readonly { readonly name: string; readonly detail: string }[]
  readonly [member: string]: unknown
}

/** The status of a response is 400 or above, or the response is not one that the API describes. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Body of the response; undefined if it has another content type. */
  readonly problem: ApiProblem | undefined
  /** The response. Its body can be read, unless that is malformed JSON. */
  readonly response: Response

  constructor(message: string, response: Response, problem?: ApiProblem) {
    super(message)
    this.status = response.status
    this.problem = problem
    this.response = response
  }
}

/** Arguments of a call by name. */
type ClientArguments = Readonly<Record<string, unknown>>

/** Arguments of a call without parameters. */
export type NoArguments = Readonly<Record<string, never>>

/** A parameter: argument, place, and where they differ from the usual, name in the request and style. */
type ClientParameter = readonly [
  argument: string,
  place: 'path' | 'query' | 'header',
  name?: string,
  style?: ParameterStyle | undefined,
]

type ParameterStyle = 'comma' | 'space' | 'pipe' | 'deep' | 'json'

/** Reading of a response: its kind, and the types that it can have. */
type ClientResult = readonly [kind: 'json' | 'text' | 'stream' | 'blob' | 'none', ...types: string[]]

interface ClientOperation {
  readonly method: string
  readonly path: string
  readonly parameters?: readonly ClientParameter[]
  readonly body?: readonly [argument: string, type: string]
  /** Value of the header Accept. Default: JSON. */
  readonly accept?: string
  /** Results by status. */
  readonly results: Readonly<Record<string, ClientResult>>
}

/** Returns a function that makes operations functions. */
function callsOf(client: ClientOptions) {
  return <Result>(operation: ClientOperation) =>
    (args?: ClientArguments, options?: CallOptions): Promise<Result> =>
      send(client, operation, args, options)
}

async function send<Result>(
  client: ClientOptions,
  operation: ClientOperation,
  given: ClientArguments = {},
  options: CallOptions = {},
): Promise<Result> {
  const { method, path } = operation
  const headers = new Headers({ accept: operation.accept ?? 'application/json' })
  const own = typeof client.headers === 'function' ? await client.headers() : client.headers
  for (const [name, value] of Object.entries(own ?? {})) headers.set(name, value)
  const url = String(client.baseUrl).replace(/\/+$/, '') + targetOf(operation, given, headers)
  const body = bodyOf(operation, given, headers)
  // Called as a function, because a browser's fetch refuses another `this`.
  const request = client.fetch ?? ((...sent) => fetch(...sent))
  // A body may be secret, and the server may redirect it to another one (307 and 308).
  const redirect = body === null ? 'follow' : 'manual'
  const response = await request(url, { method, headers, body, redirect, signal: options.signal ?? null })
  if (isRedirect(response)) {
    const target = response.headers.get('location') ?? 'another URL'
    throw new ApiError(`${method} ${path} was redirected to ${target}. Bodies are not sent there.`, response)
  }
  if (response.status >= 400) throw await failure(`${method} ${path}`, response)
  // The document states the type of the result.
  return (await resultOf(operation, response)) as Result
}

/** Returns true for a redirect that was not followed. Browsers hide its status. */
function isRedirect({ status, type, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'))
}

/** Returns the path and the query of a request, and sets the headers that are parameters. */
function targetOf({ path, parameters = [] }: ClientOperation, given: ClientArguments, headers: Headers) {
  const values = new Map<string, string>()
  const query: string[] = []
  for (const [argument, place, name = argument, style] of parameters) {
    const value = argumentOf(given, argument)
    if (place === 'path') values.set(name, pathValue(argument, value))
    else if (value !== undefined && place === 'header') headers.set(name, textOf(value, style))
    else if (value !== undefined) query.push(...queryOf(name, value, style))
  }
  const target = path.replace(/\{([^{}]+)\}/g, (variable, name: string) => values.get(name) ?? variable)
  // A URL with such a segment is another one: `/books/..` is `/`.
  if (target !== path && /\/\.\.?(?:\/|$)/.test(target)) {
    throw new TypeError(`The arguments of ${path} make ${target}, in which '.' or '..' changes the path.`)
  }
  const search = query.length === 0 ? '' : `${path.includes('?') ? '&' : '?'}${query.join('&')}`
  return `${path.startsWith('/') ? '' : '/'}${target}${search}`
}

function argumentOf(given: ClientArguments, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined
}

function pathValue(argument: string, value: unknown): string {
  // A comma between the items of a list is not encoded, unlike one within an item.
  const text = listOf(value ?? '')
    .map((each) => encodeURIComponent(textOf(each)))
    .join(',')
  if (text === '') throw new TypeError(`The argument ${argument} is missing or empty. It is part of the path.`)
  return text
}

function queryOf(name: string, value: unknown, style: ParameterStyle | undefined): string[] {
  const pair = (key: string, each: unknown) => `${encodeURIComponent(key)}=${encodeURIComponent(textOf(each))}`
  if (style === 'deep' && isObject(value)) {
    return defined(value).flatMap(([key, each]) => listOf(each).map((one) => pair(`${name}[${key}]`, one)))
  }
  if (style !== undefined && style !== 'deep') return [pair(name, textOf(value, style))]
  if (isObject(value)) return defined(value).map(([key, each]) => pair(key, each))
  return listOf(value).map((each) => pair(name, each))
}

const SEPARATORS = { comma: ',', space: ' ', pipe: '|' }

function textOf(value: unknown, style: ParameterStyle = 'comma'): string {
  if (style === 'json') return JSON.stringify(value)
  const separator = style === 'deep' ? ',' : SEPARATORS[style]
  if (Array.isArray(value)) return value.map((each) => textOf(each)).join(separator)
  if (isObject(value))
    return defined(value)
      .flat()
      .map((each) => textOf(each))
      .join(separator)
  return value === null ? '' : String(value)
}

function bodyOf({ body }: ClientOperation, given: ClientArguments, headers: Headers) {
  if (body === undefined) return null
  const [argument, type] = body
  const value = argumentOf(given, argument)
  if (value === undefined) return null
  if (type === 'multipart/form-data') {
    const form = new FormData()
    for (const [name, each] of fieldsOf(value)) {
      if (each instanceof Blob) form.append(name, each)
      else form.append(name, fieldText(each))
    }
    return form // `fetch` adds the header with the boundary.
  }
  if (type === 'application/x-www-form-urlencoded') {
    const search = new URLSearchParams()
    for (const [name, each] of fieldsOf(value)) search.append(name, fieldText(each))
    return search
  }
  if (!type.includes('*')) headers.set('content-type', type)
  if (/[/+]json$/.test(type)) return JSON.stringify(value)
  return value instanceof Blob ? value : String(value)
}

/** Returns the fields of a form. An array is a field for each of its elements. */
function fieldsOf(value: unknown): [name: string, value: unknown][] {
  if (!isObject(value)) throw new TypeError('The body of this request is a form, so it must be an object.')
  return defined(value).flatMap(([name, each]) => listOf(each).map((one): [string, unknown] => [name, one]))
}

function fieldText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : textOf(value)
}

function defined(object: ClientArguments): [name: string, value: unknown][] {
  return Object.entries(object).filter(([, value]) => value !== undefined)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((each) => each !== undefined) : [value]
}

function isObject(value: unknown): value is ClientArguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a response, if it is one that the API describes. */
async function resultOf({ method, path, results }: ClientOperation, response: Response): Promise<unknown> {
  const { status } = response
  const range = status >= 200 && status < 300 ? (results['2XX'] ?? results.default) : undefined
  const result = results[status] ?? range
  const origin = response.redirected ? `, after a redirect to ${response.url}` : ''
  if (result === undefined) {
    const text = `${method} ${path} was answered with the status ${status}${origin}`
    throw new ApiError(`${text}. The API describes ${Object.keys(results).join(', ')}.`, response)
  }
  const [kind, ...types] = result
  if (kind === 'none') {
    await response.body?.cancel()
    return undefined
  }
  const type = typeOf(response)
  if (!types.some((each) => fits(type, each))) {
    const text = `${method} ${path} was answered with ${type || 'no content type'}${origin}`
    throw new ApiError(`${text}. The API describes ${types.join(', ')}.`, response)
  }
  if (kind === 'stream') return response
  if (kind === 'blob') return response.blob()
  const text = await response.text()
  return kind === 'text' || type === 'text/html' ? text : parsed(text, `${method} ${path}`, response)
}

function parsed(text: string, operation: string, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const beginning = JSON.stringify(text.slice(0, 40))
    throw new ApiError(`${operation} was answered with malformed JSON: ${beginning}.`, response)
  }
}

/** Returns the content type of a response without parameters. */
function typeOf(response: Response): string {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  return type.trim().toLowerCase()
}

function fits(type: string, described: string): boolean {
  if (described === '*/*' || type === described) return true
  if (described.endsWith('/*')) return type.startsWith(described.slice(0, -1))
  return /[/+]json$/.test(described) && /[/+]json$/.test(type)
}

async function failure(operation: string, response: Response): Promise<ApiError> {
  // The body is read in any case, so that the connection can be used again.
  const text = await response.clone().text()
  const type = typeOf(response)
  const details = type === 'application/problem+json' ? problemIn(text) : undefined
  const title = details?.title ?? response.statusText
  const detail = [title, details?.detail].filter((each) => each).join(': ')
  const message = `${operation}: ${response.status}${detail && ` ${detail}`}`
  return new ApiError(message, response, readProblem(type, text))
}

/** Returns a value of JSON, or undefined for malformed JSON. */
function jsonIn<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Members that have another type than RFC 9457 says are ignored, as it requires. */
function problemIn(text: string): ProblemDetails | undefined {
  const value = jsonIn<unknown>(text)
  if (!isObject(value)) return undefined
  const { type, title, status, detail, instance, errors, ...others } = value
  return {
    ...others,
    ...(typeof type === 'string' && { type }),
    ...(typeof title === 'string' && { title }),
    ...(typeof status === 'number' && { status }),
    ...(typeof detail === 'string' && { detail }),
    ...(typeof instance === 'string' && { instance }),
    ...(Array.isArray(errors) && errors.every(isFieldError) && { errors }),
  }
}

function isFieldError(value: unknown): value is { readonly name: string; readonly detail: string } {
  return isObject(value) && typeof value.name === 'string' && typeof value.detail === 'string'
}
