import type { ArgumentSpec, Command, OptionSpec } from '../../../base/command-line/command.ts'

const ARGUMENTS: readonly ArgumentSpec[] = [
  { name: 'URL', summary: 'URL of the service, with user:password@ if it requires them' },
  {
    name: 'ACTION',
    optional: true,
    rest: true,
    summary: 'list (the default), help METHOD, call METHOD ARG..., or types [METHOD...]',
  },
]

const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  header: { value: "'NAME: VALUE'", summary: 'Header of the requests. Can be repeated' },
  user: {
    value: 'NAME[:PASSWORD]',
    summary: 'User for HTTP Basic. The password can be in PROPYLON_RPC_PASSWORD',
  },
  timeout: { value: 'MS', summary: 'Time limit of a call in milliseconds. Default 60000' },
  ca: { value: 'FILE', summary: 'Certificates (PEM) to trust besides the default ones' },
  output: {
    value: 'json|table',
    summary: 'How call prints a result. Default: json, in a terminal also table',
  },
  only: { value: 'PREFIX', summary: 'list and types: methods whose names begin so' },
  method: { value: 'NAME', summary: 'types: a method that is not listed. Can be repeated' },
}

const DETAILS = [
  `An argument of call is JSON, plain text, or text with its type in front: string:5, int:5, i8:5, double:5,
bool:true, date:2026-01-31T12:00:00, base64:AQID, base64:@FILE, nil:, json:[1]. The text i8:5 is string:i8:5.`,
  `The result is printed as JSON. Integers beyond 2^53, NaN and infinities are text, dates are text as they
were sent, bytes are base64.`,
  'types prints a TypeScript interface of the service, for type-checked calls.',
]

/** `propylon rpc URL [list | help METHOD | call METHOD ARG… | types METHOD…]` */
export const rpc: Command = {
  name: 'rpc',
  summary: 'Call a service by XML-RPC, JSON-RPC or plain JSON',
  arguments: ARGUMENTS,
  options: {
    protocol: {
      value: 'xmlrpc|jsonrpc|json',
      summary: 'How the service is called. Default: the first protocol that it answers',
    },
    ...OPTIONS,
    named: { summary: 'Arguments of call are NAME=VALUE, as always for plain JSON' },
  },
  details: [
    ...DETAILS,
    `The URL can also name an OpenRPC or OpenAPI document (.json). A service by plain JSON is called by
POST to URL/METHOD, with its arguments as a JSON object.`,
  ],
  examples: [
    'propylon rpc unix:/run/supervisor.sock:/RPC2 call supervisor.getAllProcessInfo --output table',
    'propylon rpc http://127.0.0.1:6800/jsonrpc call aria2.getVersion token:secret',
    'propylon rpc http://127.0.0.1:5000/stock call stock.find sku=A1 limit=5 --protocol json',
    'propylon rpc http://127.0.0.1:5000/stock/openapi.json types > stock.ts',
  ],
  async run(parsed, context) {
    const { runRPC } = await import('../../../rpc/commands/run-rpc.ts')
    return runRPC(parsed, context)
  },
}

/** `propylon xmlrpc URL [list | help METHOD | call METHOD ARG… | types METHOD…]` */
export const xmlrpc: Command = {
  name: 'xmlrpc',
  summary: 'Call an XML-RPC service',
  arguments: ARGUMENTS,
  options: OPTIONS,
  details: DETAILS,
  examples: [
    'propylon xmlrpc http://127.0.0.1:5000/demo',
    'propylon xmlrpc http://127.0.0.1:5000/demo help test.battingOrder',
    'propylon xmlrpc http://127.0.0.1:5000/demo call test.battingOrder 12',
    'propylon xmlrpc http://127.0.0.1:5000/demo types > demo.ts',
  ],
  async run(parsed, context) {
    const { runXMLRPC } = await import('../../../rpc/commands/run-rpc.ts')
    return runXMLRPC(parsed, context)
  },
}
