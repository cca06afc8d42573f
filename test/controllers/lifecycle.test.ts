import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, JSONRPCController, Mapper, WSGIController, XMLRPCController } from 'propylon'
import { decodeResponse, encodeCall } from 'propylon/xmlrpc'

/** Serves one controller at `/test/{action}` and collects what is logged. */
function applicationWith(controller: new () => WSGIController) {
  const logged: string[] = []
  const log = (...message: unknown[]) => void logged.push(message.join(' '))
  const app = new FrameworkApp({
    map: new Mapper().connect('/{controller}').connect('/{controller}/{action}/{id}'),
    controllers: { test: controller },
    logger: { info() {}, warn: log, error: log },
    debug: true,
  })
  const fetch = (path: string, body?: string, type = 'application/json') =>
    app.fetch(
      new Request(
        `http://localhost${path}`,
        body === undefined ? {} : { method: 'POST', body, headers: { 'Content-Type': type } },
      ),
    )
  return { fetch, logged }
}

const failing = {
  action(): never {
    throw new Error('FIRST, of the action')
  },
  after(): never {
    throw new Error('SECOND, of __after__')
  },
}

class FailingPage extends WSGIController {
  index() {
    failing.action()
  }
  __after__() {
    failing.after()
  }
}

class FailingJSON extends JSONRPCController {
  fail() {
    failing.action()
  }
  __after__() {
    failing.after()
  }
}

class FailingXML extends XMLRPCController {
  static override multicall = true
  fail() {
    failing.action()
  }
  __after__({ action }: { action: string }) {
    if (action === 'fail') failing.after()
  }
}

const call = '{"jsonrpc":"2.0","method":"fail","id":1}'
const faultText = async (response: Response): Promise<string> => {
  try {
    return JSON.stringify(decodeResponse(await response.text()))
  } catch (fault) {
    return String(fault)
  }
}

const protocols: [name: string, controller: new () => WSGIController, request: [string?, string?]][] = [
  ['a WSGI action', FailingPage, []],
  ['a JSON-RPC call', FailingJSON, [call]],
  ['a JSON-RPC batch', FailingJSON, [`[${call}]`]],
  ['an XML-RPC call', FailingXML, [encodeCall('fail', []), 'text/xml']],
  [
    'an XML-RPC multicall',
    FailingXML,
    [encodeCall('system.multicall', [[{ methodName: 'fail', params: [] }]]), 'text/xml'],
  ],
]

describe('an action and __after__ that both fail', () => {
  for (const [name, controller, request] of protocols) {
    it(`answers ${name} with the error of the action`, async () => {
      const response = await applicationWith(controller).fetch('/test', ...request)
      const text = request[1] === 'text/xml' ? await faultText(response) : await response.text()
      assert.match(text, /FIRST/)
      assert.doesNotMatch(text, /SECOND/)
    })

    it(`logs both errors of ${name}`, async () => {
      const { fetch, logged } = applicationWith(controller)
      await fetch('/test', ...request)
      const text = logged.join('\n')
      assert.match(text, /FIRST/)
      assert.match(text, /__after__ failed too\s[\s\S]*SECOND/)
    })
  }
})

describe('__before__ that changes the action', () => {
  class Pages extends WSGIController {
    __before__() {
      const match = this.request.environ['wsgiorg.routing_args']?.[1]
      if (match !== undefined) match.action = 'show'
    }
    show() {
      return 'shown'
    }
    hide() {
      return 'hidden'
    }
  }

  for (const action of ['hide', 'no-such-action', '']) {
    it(`runs the other action in place of "${action}"`, async () => {
      const response = await applicationWith(Pages).fetch(`/test${action && `/${action}/1`}`)
      assert.equal(await response.text(), 'shown')
    })
  }
})

describe('_get_method_args', () => {
  class Account extends WSGIController {
    user = 'nobody'
    override async _get_method_args() {
      return { ...(await super._get_method_args()), user: 'ann' }
    }
    __before__(user: string) {
      this.user = user
    }
    show(user: string, id: string) {
      return `${this.user} ${user} ${id}`
    }
  }

  it('may return a promise', async () => {
    const response = await applicationWith(Account).fetch('/test/show/7')
    assert.equal(await response.text(), 'ann ann 7')
  })

  it('may be an arrow function in a class field', async () => {
    class Field extends WSGIController {
      override _get_method_args = () => ({ user: 'ann' })
      show(user: string, id = 'none') {
        return `${user} ${id}`
      }
    }
    const response = await applicationWith(Field).fetch('/test/show/7')
    assert.equal(await response.text(), 'ann none')
  })

  for (const [shown, value] of [
    ['string', 'text'],
    ['null', null],
    ['undefined', undefined],
  ]) {
    it(`is refused with its result when that is ${shown}`, async () => {
      class Wrong extends WSGIController {
        override async _get_method_args() {
          return JSON.parse('{}', () => value)
        }
        show(id: string) {
          return id
        }
      }
      const { fetch, logged } = applicationWith(Wrong)
      assert.equal((await fetch('/test/show/7')).status, 500)
      const message = `Wrong._get_method_args() returned ${shown}. Return an object`
      assert.ok(logged.join('\n').includes(message), logged.join('\n'))
    })
  }
})

describe('names with an underscore', () => {
  const helpers = [
    '_serve',
    '_served',
    '_answer',
    '_inspect_call',
    '_openedSession',
    '_standingResponse',
    '_dispatch_call',
    '_state',
    '_send',
    '_respond',
  ]

  const callHelpers = (controller: object): string =>
    helpers.map((name) => Reflect.apply(Reflect.get(controller, name), controller, [])).join(' ')

  const requests: [base: typeof WSGIController, path: string, body?: string, type?: string][] = [
    [WSGIController, '/test/greet/joe'],
    [JSONRPCController, '/test', '{"jsonrpc":"2.0","method":"greet","params":["joe"],"id":1}'],
    [XMLRPCController, '/test', encodeCall('greet', ['joe']), 'text/xml'],
  ]
  for (const [base, ...request] of requests) {
    it(`belong to the application in a ${base.name}`, async () => {
      class Own extends base {
        __before__() {}
        greet(id: string) {
          return `Hello, ${id}: ${callHelpers(this)}`
        }
        __after__() {}
      }
      for (const name of helpers) Reflect.set(Own.prototype, name, () => name)
      const { fetch, logged } = applicationWith(Own)
      const response = await fetch(...request)
      assert.deepEqual(logged, [])
      assert.ok((await response.text()).includes(`Hello, joe: ${helpers.join(' ')}`))
    })
  }
})

describe('a method that replaces an accessor of the framework', () => {
  for (const name of ['app', 'c', 'request', 'response', 'session', 'url']) {
    it(`is refused by name: ${name}`, async () => {
      const Replacing = class ShopController extends WSGIController {
        index() {
          return 'shop'
        }
      }
      Object.defineProperty(Replacing.prototype, name, { value() {}, configurable: true })
      const { fetch, logged } = applicationWith(Replacing)
      assert.equal((await fetch('/test')).status, 500)
      assert.match(logged.join('\n'), new RegExp(`ShopController\\.${name}\\(\\) replaces the framework's`))
    })
  }

  it('is refused by the compiler', () => {
    class Shop extends WSGIController {
      // @ts-expect-error Class 'WSGIController' defines instance member accessor 'session'
      session() {}
    }
    assert.equal(typeof Shop, 'function')
  })
})
