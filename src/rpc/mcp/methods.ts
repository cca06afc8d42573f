/** Methods of the Model Context Protocol, as procedures, so that hooks run for them. */
import { isRecord } from '../../base/record.ts'
import type { Parameters } from '../../controllers/parameters.ts'
import { JSONText } from '../controllers/json-values.ts'
import { JSONRPCError, JSONRPCErrorCode } from '../controllers/jsonrpc-error.ts'
import type { Procedure } from '../controllers/procedures.ts'
import type { ServiceController } from '../controllers/service-controller.ts'
import { describeService, type ServiceDescription } from '../controllers/service-description.ts'
import { ServiceRequest } from '../controllers/service-request.ts'
import { negotiatedVersion } from './message.ts'
import { toolOf } from './tool.ts'

/** Negotiates the version and describes the server (lifecycle, "Initialization"). */
function initialize(this: ServiceController, params: unknown): object {
  const protocolVersion = paramOf(params, 'protocolVersion')
  if (typeof protocolVersion !== 'string') throw invalidParams('"protocolVersion" must be a string')
  const { name, title, version, description } = describeService(new ServiceRequest(this))
  return {
    protocolVersion: negotiatedVersion(protocolVersion),
    capabilities: { tools: {} },
    serverInfo: { name, title, version },
    ...(description === '' ? {} : { instructions: description }),
  }
}

function ping(): object {
  return {}
}

/** Lists of the tools of services. Made once for each: they may be much longer than the message that asks for them. */
const lists = new WeakMap<ServiceDescription, JSONText>()

/** Lists all tools. There is one page only, so no cursor is valid. */
function listTools(this: ServiceController, params: unknown): JSONText {
  const cursor = paramOf(params, 'cursor')
  if (cursor !== undefined) throw invalidParams(`there is no page ${JSON.stringify(cursor).slice(0, 100)}`)
  const service = describeService(new ServiceRequest(this))
  const list = lists.get(service) ?? new JSONText(JSON.stringify({ tools: service.procedures.map(toolOf) }))
  lists.set(service, list)
  return list
}

function paramOf(params: unknown, name: string): unknown {
  return isRecord(params) ? params[name] : undefined
}

function invalidParams(problem: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidParams, `Invalid params: ${problem}`)
}

const ANY_PARAMS: Parameters = { kind: 'destructured', names: [], rest: true }

/** Methods by name, besides `tools/call`. They accept unknown parameters, which later versions of the protocol add. */
export const MCP_METHODS: ReadonlyMap<string, Procedure> = new Map(
  Object.entries({ initialize, ping, 'tools/list': listTools }).map(([name, method]) => [
    name,
    {
      name,
      method,
      signatures: [],
      arity: { least: 1, most: 1 },
      parameters: ANY_PARAMS,
      help: '',
    },
  ]),
)
