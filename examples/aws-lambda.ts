// An application on AWS Lambda, behind an HTTP API of API Gateway or a function URL (payload format 2.0).
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { type FetchHandler, toFetch } from 'propylon/fetch'

class VisitsController extends WSGIController {
  index() {
    const visits = Number(this.request.cookies.visits ?? 0) + 1
    this.response.setCookie('visits', String(visits))
    return { visits, from: this.request.environ.REMOTE_ADDR }
  }
}

const map = new Mapper().connect('/', { controller: 'visits', action: 'index' })

export const handler = lambdaHandler(toFetch(new FrameworkApp({ map, controllers: { visits: VisitsController } })))

/** The part of an event that is used. */
export interface LambdaEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body?: string
  readonly isBase64Encoded: boolean
  readonly requestContext: {
    readonly domainName: string
    readonly http: { readonly method: string; readonly sourceIp: string }
  }
}

export function lambdaHandler(answer: FetchHandler) {
  return async (event: LambdaEvent) => {
    const { method, sourceIp } = event.requestContext.http
    // HTTP APIs decode the path, function URLs do not. What cannot be in an encoded path is encoded again.
    const path = event.rawPath.replaceAll(/[^\w.~!$&'()*+,;=:@/%-]+|%(?![\da-f]{2})/gi, encodeURIComponent)
    const headers = new Headers(event.headers)
    if (event.cookies !== undefined) headers.set('cookie', event.cookies.join('; '))
    const sent = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
    const body = method === 'GET' || method === 'HEAD' ? null : sent
    const url = `https://${event.requestContext.domainName}${path}?${event.rawQueryString}`
    const response = await answer(new Request(url, { method, headers, body }), {
      remoteAddr: { hostname: sourceIp },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isBase64Encoded = !bytes.equals(Buffer.from(bytes.toString()))
    const cookies = response.headers.getSetCookie()
    response.headers.delete('set-cookie')
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      cookies,
      body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'),
      isBase64Encoded,
    }
  }
}
