/** The tools, resources and prompts of an application. */
import { oncePer } from '../../base/once-per.ts'
import { isRecord } from '../../base/record.ts'
import { errorSummary, isDisconnect, isInstance } from '../../base/thrown.ts'
import type { Application } from '../../controllers/application.ts'
import type { ControllerClass } from '../../controllers/controller-class.ts'
import { PROTOCOL_KEY } from '../../controllers/lifecycle.ts'
import { Batch } from '../../http/jsonrpc/batch.ts'
import { JSONRPCError, JSONRPCErrorCode } from '../../http/jsonrpc/error.ts'
import { Request } from '../../http/request.ts'
import { Response } from '../../http/response.ts'
import { applicationUrl, hostOf } from '../../wsgi/request-url.ts'
import type { Environ } from '../../wsgi/types.ts'
import { metadataUrl, scopesOf, withChallenge } from './authorization.ts'
import { listHint, responseHint } from './cache.ts'
import { complete } from './completion.ts'
import { jsonIn, resourceContents } from './content.ts'
import { checkParameterHeaders } from './envelope.ts'
import type { Catalogue } from './exposed.ts'
import {
  callApplication,
  type InnerRequest,
  innerEnviron,
  MAX_RESPONSE,
  type RunnableApplication,
  readBody,
} from './inner-request.ts'
import { invalidParams, methodNotFound, unknownTool } from './mcp-errors.ts'
import type { MCPOptions } from './mcp-options.ts'
import { checkCursor, PROTOCOL_METHODS } from './methods.ts'
import { ObservedAction } from './observed-action.ts'
import { promptOf, promptRequest } from './prompts.ts'
import { findResource, placeOf, resourcesOf, templatesOf } from './resources.ts'
import type { MCPAnswer, MCPCall, MCPServer, Notification, ServerDescription } from './server.ts'
import { ArgumentsError, requestFor, type ToolArguments } from './tool-request.ts'
import { type Answered, isRefused, refusal, tooLong, toolAnswer, toolFailure } from './tool-result.ts'
import { inputSchemaOf, toolOf } from './tools.ts'
import { MODERN_VERSION, type ProtocolVersion, reportsWrongArgumentsAsResult } from './versions.ts'

/** The application that a server calls. */
export type ServedApplication = Application & RunnableApplication

/** Maximum number of messages in a batch. */
const MAX_BATCH = 100

/** An application as one request to its server reaches it. */
export class ApplicationServer implements MCPServer {
  readonly app: ServedApplication
  readonly environ: Environ
  readonly batchLimit = MAX_BATCH
  readonly response = new Response()
  readonly #catalogue: Catalogue
  readonly #options: MCPOptions
  readonly #cookies: string[] = []

  constructor(app: ServedApplication, environ: Environ, catalogue: Catalogue, options: MCPOptions) {
    this.app = app
    this.environ = environ
    this.#catalogue = catalogue
    this.#options = options
  }

  /** Adds the values of `Set-Cookie` that the calls have been answered with. */
  respond(response: Response): Response {
    for (const cookie of this.#cookies) response.headers.append('Set-Cookie', cookie)
    return response
  }

  body(): Promise<Uint8Array> {
    return Request.of(this.environ).bytes()
  }

  describe(): ServerDescription {
    const { tools, resources, prompts } = this.#catalogue
    const { name = 'propylon', version = '1.0.0', instructions } = this.#options
    return {
      name,
      version,
      ...(instructions !== undefined && { instructions }),
      capabilities: {
        ...(tools.size > 0 && { tools: {} }),
        ...(resources.size > 0 && { resources: {} }),
        ...(prompts.size > 0 && { prompts: {} }),
        ...(prompts.size + resources.size > 0 && { completions: {} }),
      },
      cache: listHint(this.environ, !this.app.debug),
    }
  }

  async handle(call: MCPCall): Promise<MCPAnswer> {
    try {
      call.batch?.requireRoom()
      const answer = await this.#answer(call)
      return answer.kind === 'stream'
        ? { kind: 'stream', messages: this.#reporting(answer.messages) }
        : answer
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** Reports the error of a stream that has begun. */
  async *#reporting(
    messages: AsyncGenerator<Notification, MCPAnswer>,
  ): AsyncGenerator<Notification, MCPAnswer> {
    try {
      return yield* messages
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** @throws an error of a client that has disconnected. */
  #failure(error: unknown): MCPAnswer {
    if (isInstance(error, JSONRPCError)) return { kind: 'error', error }
    if (isDisconnect(error)) throw error
    this.app.reportError(error, this.environ)
    const data = this.app.showsErrors(this.environ) ? errorSummary(error) : undefined
    return { kind: 'error', error: { code: JSONRPCErrorCode.internalError, message: 'Internal error', data } }
  }

  /** @throws JSONRPCError, or a rejection - the error to send. */
  #answer(call: MCPCall): MCPAnswer | Promise<MCPAnswer> {
    const method = PROTOCOL_METHODS.get(call.method)
    if (method?.isPart(call.version)) {
      const server = this.describe()
      return { kind: 'result', json: JSON.stringify(method.result(call, server)), cache: server.cache }
    }
    const { tools, resources, prompts } = this.#catalogue
    const base = () => applicationUrl(this.environ)
    switch (call.method) {
      case 'tools/list':
        return this.#list(call, tools, () => toolList(this.#catalogue, call.version))
      case 'tools/call':
        requireSome(tools)
        return this.#callTool(call)
      case 'resources/list': {
        const list = () => JSON.stringify({ resources: resourcesOf(this.#catalogue, base()) })
        return this.#list(call, resources, list)
      }
      case 'resources/templates/list': {
        const list = () => JSON.stringify({ resourceTemplates: templatesOf(this.#catalogue, base()) })
        return this.#list(call, resources, list)
      }
      case 'resources/read':
        requireSome(resources)
        return this.#readResource(call)
      case 'prompts/list':
        return this.#list(call, prompts, () =>
          JSON.stringify({ prompts: [...prompts.values()].map(promptOf) }),
        )
      case 'completion/complete': {
        if (prompts.size + resources.size === 0) throw methodNotFound()
        return { kind: 'result', json: JSON.stringify(complete(this.#catalogue, base(), call)) }
      }
      case 'prompts/get':
        requireSome(prompts)
        return this.#getPrompt(call)
      default:
        throw methodNotFound()
    }
  }

  #list(call: MCPCall, declared: ReadonlyMap<string, unknown>, list: () => string): MCPAnswer {
    requireSome(declared)
    checkCursor(call)
    return { kind: 'result', json: list(), cache: listHint(this.environ, !this.app.debug) }
  }

  async #callTool(call: MCPCall): Promise<MCPAnswer> {
    const { name, arguments: values = {} } = call.params
    if (typeof name !== 'string') throw invalidParams('"name" must be a string')
    if (!isRecord(values)) throw invalidParams('"arguments" must be an object')
    const tool = this.#catalogue.tools.get(name)
    if (tool === undefined) throw unknownTool(name)
    if (call.version === MODERN_VERSION) {
      checkParameterHeaders(this.environ, inputSchemaOf(tool.operation), values)
    }
    let request: InnerRequest
    try {
      request = requestFor(tool, values as ToolArguments)
    } catch (error) {
      if (!isInstance(error, ArgumentsError)) throw error
      if (!reportsWrongArgumentsAsResult(call.version)) throw invalidParams(error.message)
      return toolFailure(error.message)
    }
    const { controller, action, controllerClass } = tool.operation
    const environ = innerEnviron(this.environ, request)
    // Another route may take the path of some arguments, such as /books/new.
    if (placeOf(this.app.mapper, environ, request.path) !== `${controller} ${action.name}`) {
      return toolFailure(`404 Not Found: ${request.method} ${request.path} is not ${name}.`)
    }
    const protocol = new ObservedAction()
    environ[PROTOCOL_KEY] = protocol
    const answered = await this.#run(call, environ, controllerClass)
    return toolAnswer(tool, answered, protocol.hasBegun)
  }

  async #readResource(call: MCPCall): Promise<MCPAnswer> {
    const { uri } = call.params
    if (typeof uri !== 'string') throw invalidParams('"uri" must be a string')
    const fail = (text: string) => new JSONRPCError(JSONRPCErrorCode.invalidParams, text, { uri })
    const found = findResource(this.#catalogue, this.app.mapper, this.environ, uri)
    if (found === undefined) throw fail('Resource not found')
    const { operation } = found.resource
    const target: InnerRequest = { method: 'GET', path: found.path, query: found.query }
    const environ = innerEnviron(this.environ, target)
    const answered = await this.#run(call, environ, operation.controllerClass)
    const { response } = answered
    if (isRefused(response)) {
      const refused = await refusal(answered)
      if (refused.kind === 'answer') return refused.answer
      throw fail(response.status === 404 ? 'Resource not found' : refused.text)
    }
    const bytes = await readResourceBody(answered)
    if (response.status >= 300) throw fail(`${response.statusLine}: ${response.header('location') ?? ''}`)
    const contents = [resourceContents({ bytes, contentType: response.header('content-type') ?? '' }, uri)]
    const cache = responseHint(this.environ, response.header, found.resource.isGuarded)
    return { kind: 'result', json: JSON.stringify({ contents }), cache }
  }

  async #getPrompt(call: MCPCall): Promise<MCPAnswer> {
    const { name, arguments: values } = call.params
    if (typeof name !== 'string') throw invalidParams('"name" must be a string')
    const prompt = this.#catalogue.prompts.get(name)
    if (prompt === undefined) {
      throw new JSONRPCError(JSONRPCErrorCode.invalidParams, `Unknown prompt: ${name.slice(0, 100)}`)
    }
    const { mapper } = this.app
    const request = promptRequest(prompt, values, { mapper, environ: this.environ })
    const answered = await this.#run(call, innerEnviron(this.environ, request), prompt.controllerClass)
    if (isRefused(answered.response)) {
      const refused = await refusal(answered)
      if (refused.kind === 'answer') return refused.answer
      throw new JSONRPCError(JSONRPCErrorCode.invalidParams, refused.text)
    }
    const bytes = await readResourceBody(answered)
    const { status, statusLine } = answered.response
    if (status !== 200) throw new JSONRPCError(JSONRPCErrorCode.invalidParams, statusLine)
    const { messages } = messagesIn(bytes)
    const { description } = promptOf(prompt)
    return { kind: 'result', json: JSON.stringify({ description, messages }) }
  }

  async #run(call: MCPCall, inner: Environ, controllerClass: ControllerClass): Promise<Answered> {
    const { app, environ } = this
    const { REQUEST_URI: target = '' } = inner
    const response = await callApplication(app, inner)
    for (const [name, value] of response.fields) {
      if (name.toLowerCase() === 'set-cookie') this.#cookies.push(value)
    }
    const isSignIn = this.#options.authorizationServers !== undefined
    return {
      call,
      response,
      uri: () => `${environ['wsgi.url_scheme']}://${hostOf(environ)}${target}`,
      showsErrors: () => app.showsErrors(environ),
      challenge: (status, fields) =>
        isSignIn
          ? withChallenge(status, fields, {
              metadata: metadataUrl(environ, environ.PATH_INFO),
              scopes: scopesOf(controllerClass),
            })
          : [...fields],
    }
  }

  batch<Answer>(
    messages: readonly unknown[],
    answer: (message: unknown, batch: Batch) => Promise<Answer>,
  ): Promise<Answer[]> {
    return new Batch(MAX_RESPONSE).run(messages, answer)
  }
}

/** Lists of tools by version. Made once: their schemas take much longer than the request for them. */
const toolLists = oncePer((_catalogue: Catalogue) => new Map<ProtocolVersion, string>())

function toolList(catalogue: Catalogue, version: ProtocolVersion): string {
  const lists = toolLists(catalogue)
  const tools = () => [...catalogue.tools.values()].map((tool) => toolOf(tool, version))
  const list = lists.get(version) ?? JSON.stringify({ tools: tools() })
  lists.set(version, list)
  return list
}

/** @throws JSONRPCError - -32601: the application declares none, so that it does not have the method. */
function requireSome({ size }: ReadonlyMap<string, unknown>): void {
  if (size === 0) throw methodNotFound()
}

/** @throws JSONRPCError - -32603: the body is too long. */
async function readResourceBody({ response }: Answered): Promise<Uint8Array> {
  const bytes = await readBody(response)
  if (bytes === undefined) throw new JSONRPCError(JSONRPCErrorCode.internalError, tooLong())
  return bytes
}

/** @throws TypeError - the method of the prompt answered with something else than messages. */
function messagesIn(bytes: Uint8Array): { readonly messages: readonly unknown[] } {
  const value = jsonIn(new TextDecoder().decode(bytes))?.value
  if (isRecord(value) && Array.isArray(value.messages)) return { messages: value.messages }
  throw new TypeError('The method of a prompt must return the values of its template.')
}
