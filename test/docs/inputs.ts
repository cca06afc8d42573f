/** Sends the requests of a block again, with HTML as their input. */
import { TestApp } from 'propylon/testing'

const HTML = '<script>alert(1)'

type Call = { readonly client: TestApp; readonly sent: Parameters<TestApp['request']> }

/** Runs a block, and returns the requests that it sends by TestApp. */
export async function requestsOf(run: () => Promise<unknown>): Promise<Call[]> {
  const { request } = TestApp.prototype
  const calls: Call[] = []
  TestApp.prototype.request = function (...sent) {
    calls.push({ client: this, sent })
    return request.apply(this, sent)
  }
  try {
    await run()
  } finally {
    TestApp.prototype.request = request
  }
  return calls
}

/** Returns the requests whose response is HTML with a script, which was their input or that of an earlier request. */
export async function reflections(calls: readonly Call[]): Promise<string[]> {
  const found: string[] = []
  for (const [index, { client, sent }] of calls.entries()) {
    const later = calls.slice(index + 1).filter((call) => call.client === client && call.sent[0] === 'GET')
    for (const changed of withHtml(sent)) {
      for (const each of [changed, ...later.map((call) => call.sent)]) {
        const response = await client.request(...each).catch(() => undefined)
        const isHtml = response?.headers.get('content-type')?.includes('html')
        if (isHtml && response?.text.includes(HTML)) found.push(`${each[0]} ${decodeURIComponent(each[1])}`)
      }
    }
  }
  return found
}

/** Returns a request with each segment of its path, value of its query and field of its form replaced by HTML. */
function withHtml([method, path, init]: Call['sent']): Call['sent'][] {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const segments = pathname.split('/')
  const places = [...segments.keys()].filter((at) => segments[at] !== '')
  const paths = places.map((at) => segments.with(at, encodeURIComponent(HTML)).join('/'))
  const queries = [...searchParams.keys()].map((name) => {
    const query = new URLSearchParams(searchParams)
    query.set(name, HTML)
    return `${pathname}?${query}`
  })
  const changed = [...paths, ...queries].map((each): Call['sent'] => [method, each, init])
  const body = init?.body
  if (!isForm(body)) return changed
  const forms = Object.keys(body).map((name): Call['sent'] => {
    return [method, path, { ...init, body: { ...body, [name]: HTML } }]
  })
  return [...changed, ...forms]
}

function isForm(body: unknown): body is Readonly<Record<string, string>> {
  return typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
}
