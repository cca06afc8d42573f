import type { Command } from '../../../base/command-line/command.ts'

/** `propylon xmlrpc URL [list | help METHOD | call METHOD ARG…]` */
export const xmlrpc: Command = {
  name: 'xmlrpc',
  summary: 'Call an XML-RPC service',
  arguments: [
    { name: 'URL', summary: 'URL of the service, with user:password@ if it requires them' },
    { name: 'ACTION', optional: true, rest: true, summary: 'list (default), help METHOD, call METHOD ARG...' },
  ],
  options: {
    header: { value: "'NAME: VALUE'", summary: 'Header of the requests. Can be repeated' },
    timeout: { value: 'MS', summary: 'Time limit of a call in milliseconds. Default 60000' },
  },
  details: [
    `An argument of call is JSON (5, 5.0, true, null, [1]), plain text, or text with its type in front: string:5,
i8:5, date:2026-01-31T12:00:00, base64:AQID, base64:@FILE. The text i8:5 is string:i8:5.`,
    `The result is printed as JSON. Integers beyond 2^53, NaN and infinities are text, dates are text as they
were sent, bytes are base64.`,
  ],
  examples: [
    'propylon xmlrpc http://127.0.0.1:5000/demo',
    'propylon xmlrpc http://127.0.0.1:5000/demo help test.battingOrder',
    'propylon xmlrpc http://127.0.0.1:5000/demo call test.battingOrder 12',
  ],
  async run(parsed, context) {
    return (await import('../xmlrpc-calls.ts')).runXMLRPC(parsed, context)
  },
}
