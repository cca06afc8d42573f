// The companies of an Odoo server, by its XML-RPC interface, as a JSON API. Needs ODOO_URL, ODOO_DATABASE, ODOO_USER and
// ODOO_PASSWORD.
import { abort, env, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { int, optional, string } from 'propylon/converters'
import { serve } from 'propylon/node'
import { type Encodable, type EncodableStruct, type Value, XMLRPCClient } from 'propylon/xmlrpc'

const settings = env({ ODOO_URL: string, ODOO_DATABASE: string, ODOO_USER: string, ODOO_PASSWORD: string })
const { ODOO_DATABASE: database, ODOO_PASSWORD: password } = settings
const options = { allowNil: true, timeout: 10_000 }
const common = new XMLRPCClient(`${settings.ODOO_URL}/xmlrpc/2/common`, options)
const object = new XMLRPCClient(`${settings.ODOO_URL}/xmlrpc/2/object`, options)

const user = await common.call('authenticate', database, settings.ODOO_USER, password, {})
if (user === false) throw new Error('Odoo refused ODOO_USER or ODOO_PASSWORD.')

/** Calls a method of a model. A fault of Odoo is thrown as a `Fault`. */
function execute(model: string, method: string, args: Encodable[], named: EncodableStruct): Promise<Value> {
  return object.call('execute_kw', database, user, password, model, method, args, named)
}

class CompaniesController extends WSGIController {
  static args = { index: { limit: optional(int, 20) } }

  /** GET /companies?limit=5 */
  index(limit: number) {
    if (limit < 1 || limit > 100) abort(400, 'limit is a number from 1 to 100.')
    const companies = [['is_company', '=', true]]
    return execute('res.partner', 'search_read', [companies], { fields: ['name', 'email'], limit })
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/companies', { controller: 'companies', action: 'index' }),
  controllers: { companies: CompaniesController },
})
const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(`${server.url}/companies`)
