/**
 * The server of an application: its actions and templates as tools, resources and prompts. Loaded at the first
 * request.
 */
import { oncePer } from '../../base/once-per.ts'
import { drive } from '../../controllers/call.ts'
import { Request } from '../../http/request.ts'
import type { Response } from '../../http/response.ts'
import type { Environ } from '../../wsgi/types.ts'
import { type ActionTool, callAction } from './action-tools.ts'
import type { MCPAnswer } from './answers.ts'
import type { Catalogue } from './catalogue.ts'
import { type Challenge, InnerRequests, MAX_RESPONSE, type ServedApplication } from './inner-requests.ts'
import { Batch } from './jsonrpc.ts'
import { complete, getPrompt, promptOf } from './prompts.ts'
import type { MCPCall } from './protocol.ts'
import { readResource, resourcesOf, templatesOf } from './resources.ts'
import { descriptionAnswer, type MCPServer, onlyPage, type ServerInfo } from './server.ts'

export { catalogueOf } from './catalogue.ts'
export { promptApplication } from './prompts.ts'
export { answerMCP } from './server.ts'

/** Maximum number of messages in a batch. */
const MAX_BATCH = 100

/** Returns an application as one request to its server reaches it. */
export function applicationServer(
  app: ServedApplication,
  environ: Environ,
  catalogue: Catalogue,
  { info, challenge }: { readonly info: ServerInfo; readonly challenge: Challenge },
): MCPServer<ActionTool> {
  const inner = new InnerRequests(app, environ, challenge)
  const { tools } = catalogue
  const server: MCPServer<ActionTool> = {
    app,
    environ,
    info,
    capabilities: capabilitiesOf(catalogue),
    tools,
    isGuarded: false,
    batchLimit: MAX_BATCH,
    body: () => Request.of(environ).bytes(),
    run: (_call, method) => descriptionAnswer(server, method()),
    callTool: (call, tool, values) => drive(callAction(inner, call, tool, values)),
    answer: (call) => ownAnswer(server, catalogue, inner, call),
    failure: (error) => inner.failure(error),
    batch: (messages, answer) => new Batch(MAX_RESPONSE, environ).run(messages, answer),
    respond(response: Response) {
      for (const cookie of inner.cookies) response.headers.append('Set-Cookie', cookie)
      return response
    },
  }
  return server
}

const capabilitiesOf = oncePer(({ tools, resources, prompts }: Catalogue) => ({
  ...(tools.size > 0 && { tools: {} }),
  ...(resources.size > 0 && { resources: {} }),
  ...(prompts.size > 0 && { prompts: {} }),
  ...(prompts.size + resources.size > 0 && { completions: {} }),
}))

/**
 * Answers the methods about resources and prompts. Undefined if the application has none of them, and for other
 * methods.
 */
function ownAnswer(
  server: MCPServer<ActionTool>,
  catalogue: Catalogue,
  inner: InnerRequests,
  call: MCPCall,
): MCPAnswer | Promise<MCPAnswer> | undefined {
  const { capabilities } = server
  const { base } = inner
  const [subject = ''] = call.method.split('/', 1)
  if (!(subject in capabilities || (subject === 'completion' && 'completions' in capabilities))) return undefined
  const list = (members: object) => descriptionAnswer(server, onlyPage(call, JSON.stringify(members)))
  switch (call.method) {
    case 'resources/list':
      return list({ resources: resourcesOf(catalogue, base) })
    case 'resources/templates/list':
      return list({ resourceTemplates: templatesOf(catalogue, base) })
    case 'resources/read':
      return drive(readResource(inner, catalogue, call))
    case 'prompts/list':
      return list({ prompts: [...catalogue.prompts.values()].map(promptOf) })
    case 'prompts/get':
      return drive(getPrompt(inner, catalogue, call))
    case 'completion/complete':
      return { kind: 'result', json: JSON.stringify(complete(catalogue, base, call)) }
  }
}
