/** HTTP responses of the Model Context Protocol. */
import type { Responder } from '../../controllers/responder.ts'
import { eventStream, type ServerSentEvent } from '../../http/event-stream.ts'
import type { Response } from '../../http/response.ts'
import type { MCPReply } from './answer.ts'

/**
 * Returns the response for a reply.
 *
 * @param response - receives the reply, unless it is a stream or another response.
 * @param cookies - values of `Set-Cookie` for a reply that is not another response.
 */
export function responseFor(reply: MCPReply, response: Response, cookies: readonly string[] = []): Responder {
  switch (reply.kind) {
    case 'http':
      return reply.responder
    case 'events':
      return withCookies(eventStream(messageEvents(reply.texts)), cookies)
    case 'json':
      response.status = reply.status
      response.body = reply.text
      response.contentType = 'application/json'
      return withCookies(response, cookies)
    case 'accepted':
      response.status = 202
      response.body = null
      response.contentType = null
      return response
  }
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}

async function* messageEvents(texts: AsyncGenerator<string, void>): AsyncGenerator<ServerSentEvent, void> {
  for await (const data of texts) yield { event: 'message', data }
}
