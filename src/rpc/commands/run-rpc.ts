/**
 * Runs `propylon rpc` and `propylon xmlrpc`.
 *
 * @module
 */

import { JSONRPCError } from '../../app/mcp/jsonrpc.ts'
import { argument, type Context, type ParsedArguments } from '../../base/command-line/command.ts'
import { CommandError, oneLine, quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { JSONRPCProtocolError, JSONRPCTransportError } from '../jsonrpc/client-errors.ts'
import { endpointOf } from '../transport/endpoint.ts'
import { Fault, XMLRPCError } from '../xmlrpc/index.ts'
import { actionOf } from './actions.ts'
import { type ConnectionOptions, connectionOf, withPassword } from './connection.ts'
import { errorText, type Service, ServiceError } from './service.ts'
import { xmlrpcService } from './xmlrpc-service.ts'

/** Connects to the service at a URL. */
type Connect = (url: string, options: ConnectionOptions) => Service | Promise<Service>

/** Runs `propylon xmlrpc`. */
export function runXMLRPC(parsed: ParsedArguments, context: Context): Promise<number> {
  return run('xmlrpc', parsed, context, (url, options) => xmlrpcService(url, options, context.cwd))
}

/** Runs `propylon rpc`, which finds out the protocol of the service. */
export async function runRPC(parsed: ParsedArguments, context: Context): Promise<number> {
  const { detect, protocolOf } = await import('./detect.ts')
  const protocol = protocolOf(parsed.value('protocol'))
  return run('rpc', parsed, context, async (address, given) => {
    const { protocol: found, url, document } = await detect(address, given, protocol)
    // A document may describe a service elsewhere, for which the credentials are not.
    const options = isSameOrigin(url, address) ? given : { ...given, headers: {} }
    const { cwd } = context
    if (found === 'xmlrpc') return xmlrpcService(url, options, cwd)
    if (found === 'json') {
      const { jsonService } = await import('./json-service.ts')
      return jsonService(url, options, cwd, document)
    }
    const { jsonrpcService } = await import('./jsonrpc-service.ts')
    return jsonrpcService(url, options, { isNamed: parsed.flag('named'), cwd, document })
  })
}

function isSameOrigin(url: string, other: string): boolean {
  return url === other || new URL(url).origin === new URL(other).origin
}

async function run(
  command: string,
  parsed: ParsedArguments,
  context: Context,
  connect: Connect,
): Promise<number> {
  const address = serviceUrl(argument(parsed, 0))
  const action = actionOf(command, parsed)
  const options = await connectionOf(parsed, context)
  try {
    await action(await connect(withPassword(address, context.env), options), context)
  } catch (error) {
    throw asCommandError(error)
  }
  return 0
}

function serviceUrl(text: string): string {
  try {
    endpointOf(text, { name: 'a service', path: '/' })
    return text
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(
      // Also a URL that cannot be parsed may have a password.
      `${quoted(text.replace(/\/\/[^/?#]*@/, '//'))} is not the URL of a service`,
      "write one like 'http://127.0.0.1:5000/demo' or 'unix:/run/supervisor.sock:/RPC2'",
    )
  }
}

/** Errors whose messages are for the user of a service. Others keep their stacks. */
const EXPECTED = [JSONRPCProtocolError, JSONRPCTransportError, ServiceError, XMLRPCError]

/** Converts errors of the service and of the connection to one line. */
function asCommandError(error: unknown): unknown {
  if (error instanceof Fault)
    return new CommandError(oneLine(`fault ${error.faultCode}: ${error.faultString}`))
  if (error instanceof JSONRPCError) return new CommandError(oneLine(errorText(error)))
  return error instanceof Error && EXPECTED.some((type) => error instanceof type)
    ? new CommandError(oneLine(error.message))
    : error
}
