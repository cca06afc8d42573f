import { once } from 'node:events'
import { createServer } from 'node:http'
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

testRecipe('Odoo', async () => {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    response.writeHead(200, { 'content-type': 'text/xml' }).end(xmlrpc(request.url ?? '', body))
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
