import { nearest } from '../../text/suggest.ts'
import type { XMLRPCClientMethods } from '../../xmlrpc/index.ts'
import { argument, type Command } from '../command.ts'
import { CommandError, oneLine, quoted, UsageError } from '../errors.ts'
import { print, type Terminal } from '../terminal.ts'

const ACTIONS = ['list', 'help', 'call', 'types'] as const

/** `propylon xmlrpc URL [list | help METHOD | call METHOD ARG… | types]` */
export const xmlrpc: Command = {
  name: 'xmlrpc',
  summary: 'Call an XML-RPC service',
  arguments: [
    { name: 'URL', summary: 'URL of the service, with user:password@ if it requires them' },
    {
      name: 'ACTION',
      optional: true,
      rest: true,
      summary: 'list (the default), help METHOD, call METHOD ARG..., or types',
    },
  ],
  options: {},
  details: [
    'Arguments of call are JSON or plain text. The result is printed as JSON.\ntypes prints a TypeScript interface of the service, for type-checked calls.',
  ],
  examples: [
    'propylon xmlrpc http://127.0.0.1:5000/demo',
    'propylon xmlrpc http://127.0.0.1:5000/demo help test.battingOrder',
    'propylon xmlrpc http://127.0.0.1:5000/demo call test.battingOrder 12',
    'propylon xmlrpc http://127.0.0.1:5000/demo types > demo.ts',
  ],
  async run(parsed, context) {
    const url = serviceUrl(argument(parsed, 0))
    const [action = 'list', ...rest] = parsed.arguments.slice(1)
    const work = await workOf(action, rest)
    const { XMLRPCClient } = await import('../../xmlrpc/index.ts')
    try {
      await work(new XMLRPCClient(url, { allowNil: true }), context)
    } catch (error) {
      throw await asCommandError(error)
    }
    return 0
  },
}

type Work = (client: XMLRPCClientMethods, terminal: Terminal) => Promise<void>

async function workOf(action: string, rest: readonly string[]): Promise<Work> {
  const known = ACTIONS.find((name) => name === action)
  const [method, ...parameters] = rest
  const refuseSurplus = (allowed: number) => {
    if (rest.length > allowed) {
      throw new UsageError(
        `'${action}' takes no argument ${quoted(rest[allowed] ?? '')}`,
        "see 'propylon xmlrpc --help'",
      )
    }
  }
  switch (known) {
    case 'list':
      refuseSurplus(0)
      return async (client, terminal) => print(terminal, ...(await client.listMethods()).map(oneLine))
    case 'types':
      refuseSurplus(0)
      return async (client, terminal) => {
        const { generateTypes, introspect } = await import('../../xmlrpc/index.ts')
        print(terminal, generateTypes(await introspect(client), { source: client.url }).trimEnd())
      }
    case 'help': {
      if (method === undefined) throw new UsageError("'help' needs a method", 'write help METHOD')
      refuseSurplus(1)
      return async (client, terminal) => print(terminal, await client.methodHelp(method))
    }
    case 'call': {
      if (method === undefined) throw new UsageError("'call' needs a method", 'write call METHOD ARG...')
      const { fromJson, toJson } = await import('../json-values.ts')
      const values = parameters.map(fromJson)
      return async (client, terminal) => print(terminal, toJson(await client.call(method, ...values)))
    }
    case undefined: {
      const guess = nearest(action, ACTIONS)
      const fix = guess === undefined ? `choose one of ${ACTIONS.join(', ')}` : `did you mean '${guess}'?`
      throw new UsageError(`'propylon xmlrpc' has no action ${quoted(action)}`, fix)
    }
  }
}

function serviceUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UsageError(
    `${quoted(text)} is not the URL of a service`,
    "write one like 'http://127.0.0.1:5000/demo'",
  )
}

/** Converts faults and errors of the connection to one line. Other errors keep their stacks. */
async function asCommandError(error: unknown): Promise<unknown> {
  const { Fault, XMLRPCError } = await import('../../xmlrpc/index.ts')
  if (error instanceof Fault) return new CommandError(`fault ${error.faultCode}: ${error.faultString}`)
  if (!(error instanceof XMLRPCError)) return error
  const cause = error.cause instanceof Error && error.cause.message !== '' ? ` (${error.cause.message})` : ''
  return new CommandError(error.message + cause)
}
