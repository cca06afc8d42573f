/** HTTP responses of the Model Context Protocol. */
import type { Responder } from '../../controllers/responder.ts'
import { eventStream, type ServerSentEvent } from '../../http/event-stream.ts'
import type { Response } from '../../http/response.ts'
import type { MCPReply } from './answer.ts'

/**
 * Returns the response for a reply.
 *
 * @param response - receives the reply, unless it is a stream or another response.
 */
export function responseFor(reply: MCPReply, response: Response): Responder {
  switch (reply.kind) {
    case 'http':
      return reply.responder
    case 'events':
      return eventStream(messageEvents(reply.texts))
    case 'json':
      response.status = reply.status
      response.body = reply.text
      response.contentType = 'application/json'
      for (const cookie of reply.cookies ?? []) response.headers.append('Set-Cookie', cookie)
      return response
    case 'accepted':
      response.status = 202
      response.body = null
      response.contentType = null
      return response
  }
}

async function* messageEvents(texts: AsyncGenerator<string, void>): AsyncGenerator<ServerSentEvent, void> {
  for await (const data of texts) yield { event: 'message', data }
}
