/** The Model Context Protocol: each method of a service is a tool. */

import { answerMCP } from '../../app/mcp/answer.ts'
import { isGuarded, listHint } from '../../app/mcp/cache.ts'
import { checkParameterHeaders } from '../../app/mcp/envelope.ts'
import { invalidParams } from '../../app/mcp/mcp-errors.ts'
import type { MCPAnswer, MCPCall, MCPServer, ServerDescription } from '../../app/mcp/server.ts'
import { MODERN_VERSION } from '../../app/mcp/versions.ts'
import { isRecord } from '../../base/record.ts'
import { type Responder, respond } from '../../controllers/responder.ts'
import type { Batch } from '../../http/jsonrpc/batch.ts'
import type { Response } from '../../http/response.ts'
import { describeService } from '../controllers/service-description.ts'
import type { ServiceRequest } from '../controllers/service-request.ts'
import { methodDialect, ToolDialect } from '../mcp/dialect.ts'
import { toolOf } from '../mcp/tool.ts'
import type { Face } from './face.ts'

export const MCP: Face = {
  title: 'Model Context Protocol',
  path: '/mcp',
  answer: (request) => answerMCP(new ServiceServer(request)),
}

/** A service as one request reaches it. */
class ServiceServer implements MCPServer {
  readonly #request: ServiceRequest

  constructor(request: ServiceRequest) {
    this.#request = request
  }

  get app(): MCPServer['app'] {
    return this.#request.controller.app
  }

  get environ(): MCPServer['environ'] {
    return this.#request.controller.request.environ
  }

  get response(): Response {
    return this.#request.controller.response
  }

  respond(response: Response): Responder {
    return respond(this.#request.controller, response)
  }

  get batchLimit(): number {
    return this.#request.settings.batchLimit
  }

  body(): Promise<Uint8Array> {
    return this.#request.body()
  }

  describe(): ServerDescription {
    const { settings } = this.#request
    const { name, title, version, description } = describeService(this.#request)
    return {
      name,
      title,
      version,
      ...(description !== '' && { instructions: description }),
      capabilities: { tools: {} },
      cache: listHint(this.environ, !this.#request.controller.app.debug, isGuarded(settings)),
    }
  }

  async handle(call: MCPCall): Promise<MCPAnswer> {
    const request = this.#request
    const { method, params } = call
    const context = { request, call, server: this.describe() }
    if (method !== 'tools/call') {
      return request.call(method, { kind: 'named', values: params }, methodDialect(context))
    }
    const { name, arguments: values = {} } = params
    if (typeof name !== 'string') return { kind: 'error', error: invalidParams('"name" must be a string') }
    if (!isRecord(values)) return { kind: 'error', error: invalidParams('"arguments" must be an object') }
    const tool = describeService(request).procedures.find((procedure) => procedure.name === name)
    if (tool !== undefined && call.version === MODERN_VERSION) {
      checkParameterHeaders(this.environ, toolOf(tool).inputSchema, values)
    }
    return request.call(name, { kind: 'named', values }, new ToolDialect(context, name))
  }

  batch<Answer>(
    messages: readonly unknown[],
    answerOne: (message: unknown, batch: Batch) => Promise<Answer>,
  ): Promise<Answer[]> {
    return this.#request.batch(messages, answerOne)
  }
}
