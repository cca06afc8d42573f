/** The server of an application: its actions and templates as tools, resources and prompts. Loaded at the first request. */
import { isDisconnect, isInstance } from '../../base/thrown.ts'
import { Request } from '../../http/request.ts'
import type { Response } from '../../http/response.ts'
import type { Environ } from '../../wsgi/types.ts'
import { type ActionTool, callAction } from './action-tools.ts'
import type { MCPAnswer } from './answers.ts'
import type { Catalogue } from './catalogue.ts'
import { type Challenge, InnerRequests, MAX_RESPONSE, type ServedApplication } from './inner-requests.ts'
import { Batch, JSONRPCError } from './jsonrpc.ts'
import { complete, getPrompt, promptOf } from './prompts.ts'
import type { MCPCall } from './protocol.ts'
import { readResource, resourcesOf, templatesOf } from './resources.ts'
import { description, listed, type MCPServer, type ServerInfo } from './server.ts'
import type { ToolArguments } from './tool.ts'

export { catalogueOf } from './catalogue.ts'
export { promptApplication } from './prompts.ts'
export { answerMCP } from './server.ts'

/** Maximum number of messages in a batch. */
const MAX_BATCH = 100

/** An application as one request to its server reaches it. */
export class ApplicationServer implements MCPServer<ActionTool> {
  readonly app: ServedApplication
  readonly environ: Environ
  readonly info: ServerInfo
  readonly batchLimit = MAX_BATCH
  readonly isGuarded = false
  readonly #catalogue: Catalogue
  readonly #inner: InnerRequests

  constructor(app: ServedApplication, environ: Environ, catalogue: Catalogue, own: OwnParts) {
    this.app = app
    this.environ = environ
    this.info = own.info
    this.#catalogue = catalogue
    this.#inner = new InnerRequests(app, environ, own.challenge)
  }

  get tools(): ReadonlyMap<string, ActionTool> {
    return this.#catalogue.tools
  }

  get capabilities(): Readonly<Record<string, object>> {
    const { tools, resources, prompts } = this.#catalogue
    return {
      ...(tools.size > 0 && { tools: {} }),
      ...(resources.size > 0 && { resources: {} }),
      ...(prompts.size > 0 && { prompts: {} }),
      ...(prompts.size + resources.size > 0 && { completions: {} }),
    }
  }

  body(): Promise<Uint8Array> {
    return Request.of(this.environ).bytes()
  }

  run(_call: MCPCall, method: () => string): MCPAnswer {
    return description(this, method())
  }

  callTool(call: MCPCall, tool: ActionTool, values: ToolArguments): Promise<MCPAnswer> {
    return callAction(this.#inner, call, tool, values)
  }

  answer(call: MCPCall): MCPAnswer | Promise<MCPAnswer> | undefined {
    const { resources, prompts } = this.#catalogue
    const { base } = this.#inner
    const list = (members: object) => description(this, listed(call, JSON.stringify(members)))
    switch (resources.size > 0 && call.method) {
      case 'resources/list':
        return list({ resources: resourcesOf(this.#catalogue, base) })
      case 'resources/templates/list':
        return list({ resourceTemplates: templatesOf(this.#catalogue, base) })
      case 'resources/read':
        return readResource(this.#inner, this.#catalogue, call)
    }
    switch (prompts.size > 0 && call.method) {
      case 'prompts/list':
        return list({ prompts: [...prompts.values()].map(promptOf) })
      case 'prompts/get':
        return getPrompt(this.#inner, this.#catalogue, call)
    }
    const completes = resources.size + prompts.size > 0 && call.method === 'completion/complete'
    if (!completes) return undefined
    return { kind: 'result', json: JSON.stringify(complete(this.#catalogue, base, call)) }
  }

  failure(error: unknown): MCPAnswer {
    if (isInstance(error, JSONRPCError)) return { kind: 'error', error }
    if (isDisconnect(error)) throw error
    this.app.reportError(error, this.environ)
    return this.#inner.internalError(error)
  }

  batch(
    messages: readonly unknown[],
    answer: (message: unknown, batch: Batch) => Promise<string | undefined>,
  ): Promise<(string | undefined)[]> {
    return new Batch(MAX_RESPONSE).run(messages, answer)
  }

  /** Adds the values of `Set-Cookie` that the calls have been answered with. */
  respond(response: Response): Response {
    for (const cookie of this.#inner.cookies) response.headers.append('Set-Cookie', cookie)
    return response
  }
}

/** What the options say of a server. */
interface OwnParts {
  readonly info: ServerInfo
  readonly challenge: Challenge
}
