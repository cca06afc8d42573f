/** Static properties that controllers declare without `override`; this file is checked with `noImplicitOverride`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ControllerLoadError,
  FrameworkApp,
  JSONRPCController,
  Mapper,
  WSGIController,
  XMLRPCController,
} from 'propylon'
import { int } from 'propylon/converters'

class PagesController extends WSGIController {
  static args = { index: { page: int } }
  static allow = ['GET', 'POST']
  static crossSite = { index: 'allow' }
  index(page: number) {
    return `Page ${page}`
  }
}

class QuietController extends XMLRPCController {
  static allow = ['POST']
  static faces = ['xmlrpc']
  static crossSite = { index: 'allow' }
}

class NumbersController extends JSONRPCController {
  static allow = ['OPTIONS', 'POST', 'PUT']
  static faces = ['jsonrpc']
}

class DefaultController extends XMLRPCController {}

class UnbrowsableController extends XMLRPCController {
  static override browsable = false
}

const controllers = {
  pages: PagesController,
  quiet: QuietController,
  numbers: NumbersController,
  default: DefaultController,
  unbrowsable: UnbrowsableController,
}

function appOf(record: ConstructorParameters<typeof FrameworkApp>[0]['controllers']): FrameworkApp {
  return new FrameworkApp({ map: new Mapper().connect('/{controller}'), controllers: record })
}

describe('static allow', () => {
  const refused: [method: string, path: string, allow: string][] = [
    ['PUT', '/pages', 'GET, POST'],
    ['GET', '/quiet', 'POST'],
    ['DELETE', '/numbers', 'OPTIONS, POST, PUT'],
    ['PUT', '/default', 'GET, HEAD, OPTIONS, POST'],
    ['GET', '/unbrowsable', 'OPTIONS, POST'],
  ]
  for (const [method, path, allow] of refused) {
    it(`refuses ${method} ${path} with Allow: ${allow}`, async () => {
      const response = await appOf(controllers).fetch(new Request(`http://localhost${path}`, { method }))
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), allow)
    })
  }

  for (const allow of ['GET', ['get'], [1], {}]) {
    it(`must be a list of methods in upper case, not ${JSON.stringify(allow)}`, () => {
      class WrongController extends WSGIController {
        static allow: unknown = allow
      }
      assert.throws(
        () => appOf({ wrong: WrongController as typeof WSGIController }).controllers.find('wrong'),
        (error) => {
          assert.ok(error instanceof ControllerLoadError)
          assert.ok(
            error.message.includes('WrongController: static allow has ') && error.message.includes('. Give a list'),
            error.message,
          )
          return true
        },
      )
    })
  }

  it('is refused together with the other faults of the class', () => {
    class WrongController extends WSGIController {
      static allow = ['get']
      static security: unknown = 'token'
    }
    assert.throws(
      () => appOf({ wrong: WrongController as typeof WSGIController }).controllers.find('wrong'),
      /static allow has[\s\S]*static security has "token"/,
    )
  })
})
