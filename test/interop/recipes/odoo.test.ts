import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeCall, type Encodable, encodeResponse, Fault } from '../../../src/rpc/xmlrpc/index.ts'
import { testRecipe } from './recipe.ts'

const VERSION = { server_version: '17.0', server_serie: '17.0', protocol_version: 1 }
const PARTNER = { id: 10, name: 'Deco Addict', email: 'deco@odoo.test' }

/** Answers as Odoo 17 does by XML-RPC. */
function xmlrpc(path: string, body: string): string {
  const { methodName, params } = decodeCall(body, { allowNil: true })
  return encodeResponse(answerTo(path, methodName, params as Encodable[]))
}

function answerTo(path: string, methodName: string, params: readonly Encodable[]): Encodable | Fault {
  if (path === '/xmlrpc/2/common' && methodName === 'version') return VERSION
  if (path === '/xmlrpc/2/common' && methodName === 'authenticate') return params[2] === 'secret' ? 2 : false
  if (path !== '/xmlrpc/2/object' || methodName !== 'execute_kw') return new Fault(1, `Unknown ${methodName}`)
  const [database, user, password, model, method] = params
  const isKnown = database === 'shop' && user === 2 && password === 'secret'
  if (!isKnown || model !== 'res.partner' || method !== 'search_read') return new Fault(3, 'Access Denied')
  return [PARTNER]
}

/** Answers as Odoo 19 does by JSON-2. */
function json2(path: string, { headers }: IncomingMessage, body: string): [status: number, body: unknown] {
  if (headers.authorization !== 'bearer KEY') {
    return [
      401,
      { name: 'werkzeug.exceptions.Unauthorized', message: 'Invalid apikey', arguments: [], context: {} },
    ]
  }
  const { domain, fields } = JSON.parse(body)
  if (path !== '/json/2/res.partner/search_read' || domain === undefined)
    return [404, { message: 'Not Found' }]
  const chosen = Object.entries(PARTNER).filter(([name]) => name === 'id' || fields.includes(name))
  return [200, [Object.fromEntries(chosen)]]
}

testRecipe('docs/recipes/odoo.md', async () => {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    if (path.startsWith('/xmlrpc/')) {
      response.writeHead(200, { 'content-type': 'text/xml' }).end(xmlrpc(path, body))
      return
    }
    const [status, value] = json2(path, request, body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    // Not the host of the mail addresses.
    replacements: { 'http://odoo.test': `http://127.0.0.1:${port}` },
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
})
