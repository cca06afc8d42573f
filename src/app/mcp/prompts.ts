/** Templates as prompts (server features, "Prompts"). */
import { isRecord } from '../../base/record.ts'
import { isInstance } from '../../base/thrown.ts'
import type { ArgumentDescription } from '../../controllers/action-description.ts'
import { APPLICATION_KEY, type Application } from '../../controllers/application.ts'
import { type Controller, stateOf } from '../../controllers/call-state.ts'
import { convertArguments } from '../../controllers/conversion.ts'
import { type Converters, declaredArguments } from '../../controllers/declared-arguments.ts'
import { renderResult } from '../../controllers/declared-response.ts'
import { callMethod, OwnProtocol, PROTOCOL_KEY } from '../../controllers/lifecycle.ts'
import { isValue, type Responder, respond, respondToError } from '../../controllers/responder.ts'
import { acceptsNothing } from '../../http/converters/schema.ts'
import { Request } from '../../http/request.ts'
import type { Mapper } from '../../routing/mapper.ts'
import { queryOf } from '../../routing/url-path.ts'
import type { Environ, WSGIApplication } from '../../wsgi/types.ts'
import { proseOf } from '../openapi/texts.ts'
import { contentBlocks, textBlock } from './content.ts'
import type { ExposedPrompt } from './exposed.ts'
import { type InnerRequest, innerEnviron } from './inner-request.ts'
import { invalidParams } from './mcp-errors.ts'
import { placeOf } from './resources.ts'
import { ArgumentsError, pathFor, type ToolArguments } from './tool-request.ts'

/** Key in the environ for the prompt that a request renders. */
const PROMPT_KEY = 'propylon.prompt'

/** Describes a prompt for a list. */
export function promptOf(prompt: ExposedPrompt): { readonly description: string } {
  const { name, method, action } = prompt
  const words = method.replaceAll('_', ' ')
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  const description = proseOf(action?.help ?? '') || title
  const args = argumentsOf(prompt).map(({ name, description, required }) => ({
    name,
    ...(description !== '' && { description }),
    required,
  }))
  return Object.assign({ name, title }, { description, arguments: args })
}

/** Returns the arguments: of the method, or those that `static args` declares for the template. */
export function argumentsOf({
  action,
  controllerClass,
  method,
}: ExposedPrompt): readonly ArgumentDescription[] {
  const declared = () =>
    [...convertersOf(controllerClass, method)].map(([name, schema]) => ({
      name,
      schema,
      required: !acceptsNothing(schema),
      description: '',
    }))
  return action?.parameters ?? declared()
}

function convertersOf(controllerClass: ExposedPrompt['controllerClass'], method: string): Converters {
  const declared = declaredArguments(controllerClass, method)
  return declared?.kind === 'converters' ? declared.converters : new Map()
}

/**
 * Returns the request that renders a prompt. Middleware sees the path of the method, or `/CONTROLLER/NAME` if no route leads to it.
 *
 * @throws JSONRPCError - -32602: an argument is missing, unknown, or not text, or the routes do not lead to the method with it.
 */
export function promptRequest(
  prompt: ExposedPrompt,
  values: unknown,
  { mapper, environ }: { readonly mapper: Mapper<unknown>; readonly environ: Environ },
): InnerRequest {
  const given = values === undefined ? {} : values
  if (!isRecord(given)) throw invalidParams('"arguments" must be an object')
  const known = argumentsOf(prompt)
  for (const [name, value] of Object.entries(given)) {
    if (!known.some((each) => each.name === name)) {
      throw invalidParams(`${prompt.name}: there is no argument ${JSON.stringify(name.slice(0, 100))}`)
    }
    if (typeof value !== 'string') throw invalidParams(`${prompt.name}: "${name}" must be a string`)
  }
  const missing = known.filter(({ name, required }) => required && given[name] === undefined)
  if (missing.length > 0) {
    throw invalidParams(`${prompt.name}: ${missing.map(({ name }) => `"${name}"`).join(', ')} missing`)
  }
  const converters = convertersOf(prompt.controllerClass, prompt.method)
  const [queried, matched] = [true, false].map((isConverted) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => converters.has(name) === isConverted)),
  )
  const { controller, method } = prompt
  const request = { method: 'GET', path: pathOf(prompt, given), query: queryOf(queried ?? {}) }
  // The requirements and conditions of routes hold for prompts as well.
  const place = prompt.operation && placeOf(mapper, innerEnviron(environ, request), request.path)
  if (prompt.operation !== undefined && place !== `${controller} ${method}`) {
    throw invalidParams(`404 Not Found: ${request.path} is not ${prompt.name}`)
  }
  const call = new PromptCall(prompt, { ...matched, controller, action: method })
  return { ...request, extra: { [PROMPT_KEY]: call } }
}

/** @throws JSONRPCError - -32602: the route of the method does not take the values. */
function pathOf({ operation, controller, method }: ExposedPrompt, values: ToolArguments): string {
  if (operation === undefined) return `/${controller}/${method}`
  try {
    return pathFor(operation, values)
  } catch (error) {
    throw isInstance(error, ArgumentsError) ? invalidParams(error.message) : error
  }
}

/** A prompt and the match of the request that renders it. */
class PromptCall {
  readonly prompt: ExposedPrompt
  readonly match: Readonly<Record<string, unknown>>

  constructor(prompt: ExposedPrompt, match: Readonly<Record<string, unknown>>) {
    this.prompt = prompt
    this.match = match
  }
}

/** Returns the application that renders a prompt for a request of {@link promptRequest}. Undefined for any other request. */
export function promptApplication(app: Application, environ: Environ): WSGIApplication | undefined {
  const { [PROMPT_KEY]: call } = environ
  if (!(call instanceof PromptCall)) return undefined
  const { prompt, match } = call
  return async (_environ, start_response) => {
    const routed = {
      [APPLICATION_KEY]: app,
      [PROTOCOL_KEY]: new PromptProtocol(prompt),
      'wsgiorg.routing_args': [[], Object.assign(Object.create(null), match)] as const,
      'propylon.route': `prompt ${prompt.name}`,
    }
    Object.assign(environ, routed)
    if (app.keepsSessions && environ.HTTP_COOKIE !== undefined) await app.loadSession(environ)
    return new prompt.controllerClass().__call__(environ, start_response)
  }
}

/** Renders a prompt within the hooks of its class, and sends its messages as JSON. */
class PromptProtocol extends OwnProtocol<Responder> {
  readonly #prompt: ExposedPrompt

  constructor(prompt: ExposedPrompt) {
    super()
    this.#prompt = prompt
  }

  async run(controller: Controller): Promise<unknown> {
    const { method, template, controllerClass } = this.#prompt
    const { metadata, environ } = stateOf(controller)
    const binding = metadata.action(method)
    const result: unknown =
      binding === undefined
        ? await convertArguments(method, convertersOf(controllerClass, method), {
            match: {},
            query: () => Request.of(environ).query,
            environ,
            showsErrors: () => false,
          })
        : await callMethod(controller, binding)
    if (result !== undefined && typeof result !== 'string' && !isValue(result)) return result
    const content = contentBlocks(result) ?? [
      textBlock(await renderResult(controller, template, result, { escape: false })),
    ]
    return { messages: content.map((block) => ({ role: 'user', content: block })) }
  }

  answer(controller: Controller, result: unknown): Responder {
    return respond(controller, result)
  }

  answerError(controller: Controller, error: unknown): Responder {
    return respondToError(controller, error)
  }
}
