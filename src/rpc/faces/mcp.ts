/** The Model Context Protocol: each method of a service is a tool. */

import { answerMCP } from '../../app/mcp/answer.ts'
import { isGuarded, listHint } from '../../app/mcp/cache.ts'
import { checkParameterHeaders } from '../../app/mcp/envelope.ts'
import { invalidParams } from '../../app/mcp/mcp-errors.ts'
import type { MCPServer, ServerDescription } from '../../app/mcp/server.ts'
import { MODERN_VERSION } from '../../app/mcp/versions.ts'
import { requireLimit } from '../../base/limit.ts'
import { isRecord } from '../../base/record.ts'
import { respond } from '../../controllers/responder.ts'
import { describeService } from '../controllers/service-description.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { methodDialect, toolDialect } from '../mcp/dialect.ts'
import { toolOf } from '../mcp/tool.ts'
import type { Face } from './face.ts'

export const MCP: Face = {
  title: 'Model Context Protocol',
  path: '/mcp',
  answer: (request) => answerMCP(serverOf(request)),
}

/** Returns a service as one request reaches it. */
function serverOf(request: ServiceRequest): MCPServer {
  const { controller, settings } = request
  const { app } = controller
  const { environ } = controller.request

  const describe = (): ServerDescription => {
    const { name, title, version, description } = describeService(request)
    return {
      name,
      title,
      version,
      ...(description !== '' && { instructions: description }),
      capabilities: { tools: {} },
      cache: listHint(environ, !app.debug, isGuarded(settings)),
    }
  }

  return {
    app,
    environ,
    get batchLimit() {
      const { batchLimit, name } = settings
      requireLimit(`${name}.batchLimit`, batchLimit)
      return batchLimit
    },
    get response() {
      return controller.response
    },
    respond: (response) => respond(controller, response),
    body: () => request.body(),
    describe,
    batch: (messages, answerOne) => request.batch(messages, answerOne),
    async handle(call) {
      const { method, params } = call
      const context = { request, call, server: describe() }
      if (method !== 'tools/call') {
        return request.call(method, { kind: 'named', values: params }, methodDialect(context))
      }
      const { name, arguments: values = {} } = params
      if (typeof name !== 'string') throw invalidParams('"name" must be a string')
      if (!isRecord(values)) throw invalidParams('"arguments" must be an object')
      const tool = describeService(request).procedures.find((procedure) => procedure.name === name)
      if (tool !== undefined && call.version === MODERN_VERSION) {
        checkParameterHeaders(environ, toolOf(tool).inputSchema, values)
      }
      return request.call(name, { kind: 'named', values }, toolDialect(context, name))
    },
  }
}
