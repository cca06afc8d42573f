/** Methods as builds rewrite them: minified by esbuild, Terser and Bun, or compiled for ES2015 and ES2016. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, JSONRPCController, Mapper, ParameterNamesError, WSGIController } from 'propylon'
import { int, optional } from 'propylon/converters'
import { decorate, restrict } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'

type Controller = new () => WSGIController

/** Compiles the members of a class as a build wrote them. */
function compiled(members: string, statics: object = {}): Controller {
  const make = new Function('Base', 'helper', `return class t extends Base { ${members} }`)
  /** The helper of esbuild, TypeScript, Babel and SWC, by the kind of its first argument. */
  const helper = (...args: unknown[]): unknown => {
    const generator = args.at(-1)
    assert.ok(typeof generator === 'function')
    const run = (self: unknown, passed: ArrayLike<unknown>) =>
      Promise.resolve(generator.apply(self, [...Array.from(passed)]).next().value)
    if (args.length > 1) return run(args[0], (args[1] ?? []) as ArrayLike<unknown>)
    return function (this: unknown, ...passed: unknown[]) {
      return run(this, passed)
    }
  }
  return Object.assign(make(WSGIController, helper), statics)
}

function clientOf(controller: Controller, map: Mapper<unknown> = defaultRoutes()): TestApp {
  const logger = { info() {}, warn() {}, error() {} }
  return new TestApp(new FrameworkApp({ map, controllers: { hello: controller }, logger }))
}

function defaultRoutes() {
  return new Mapper()
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id}')
    .connect('/archive/{year}/{q}', { controller: 'archive', action: 'show', language: 'en' })
}

describe('parameters that a build renamed', () => {
  const renamed: [title: string, members: string, names: string][] = [
    ['one with a default', 'greet(e="world"){return`Hello, `+e}', 'e'],
    ['one without a default', 'greet(e){return`Hello, `+e}', 'e'],
    ['two', 'greet(e,t="html"){return[e,t]}', 'e, t'],
    ['two letters', 'greet(ab="world"){return ab}', 'ab'],
    ['three letters', 'greet(aB1="world"){return aB1}', 'aB1'],
    ['a dollar sign', 'greet($="world"){return $}', '$'],
    ['an underscore', 'greet(_="world",_e){return _}', '_, _e'],
    ['a generated suffix', 'greet(e$1="world"){return e$1}', 'e$1'],
    ['one that has the name of a route by chance', 'greet(e,q){return[e,q]}', 'e, q'],
    ['an asynchronous method', 'async greet(e="world"){return e}', 'e'],
    ['a generator', '*greet(e="world"){yield e}', 'e'],
    ['an object with rest, for ES2017', 'greet(_a){var _b=_a,{id}=_b;return id}', '_a'],
    [
      'an asynchronous method for ES2015, by esbuild',
      'greet(n){return helper(this,arguments,function*(e=String("world")){return e})}',
      'e',
    ],
    [
      'an asynchronous method for ES2015, by Terser',
      'greet(){return helper((function*(e="world"){return e})).apply(this,arguments)}',
      'e',
    ],
  ]
  for (const [title, members, names] of renamed) {
    it(`are an error that names the action: ${title}`, async () => {
      await assert.rejects(clientOf(compiled(members)).get('/hello/greet/joe'), (error) => {
        assert.ok(error instanceof ParameterNamesError)
        const [first = ''] = error.message.split(' Take one')
        assert.ok(
          first.startsWith(
            `t.greet of the controller "hello": its parameters (${names}) look renamed by a build: no route supplies`,
          ),
          first,
        )
        assert.match(error.message, /static args = \{ greet: \['id', …\] \}/)
        return true
      })
    })
  }

  const unnamed: [title: string, members: string, reason: string][] = [
    [
      'a default for ES5, minified',
      'greet(){let e=arguments.length>0&&void 0!==arguments[0]?arguments[0]:"world";return e}',
      'its parameters (e) look renamed',
    ],
    [
      'an argument without a name',
      'greet(){return arguments[0]}',
      'its parameters cannot be read: it reads arguments[0], a parameter without a name',
    ],
    [
      'a gap',
      'greet(id){let b=1?arguments[2]:5;return id+b}',
      'its parameters cannot be read: it reads arguments[2], a parameter without a name',
    ],
    ['all arguments', 'greet(..._0){return _0[0]}', 'its parameters cannot be read: it takes all arguments as _0'],
  ]
  for (const [title, members, reason] of unnamed) {
    it(`are an error if they have no name: ${title}`, async () => {
      await assert.rejects(clientOf(compiled(members)).get('/hello/greet/joe'), (error) => {
        assert.ok(error instanceof ParameterNamesError)
        assert.ok(error.message.startsWith('t.greet') && error.message.includes(`: ${reason}`), error.message)
        return true
      })
    })
  }

  it('are an error for every request, not only for the first', async () => {
    const client = clientOf(compiled('greet(e="world"){return e}'))
    for (const path of ['/hello/greet', '/hello/greet/joe', '/hello/greet/ann']) {
      await assert.rejects(client.get(path), ParameterNamesError)
    }
  })

  it('are an error without details in production', async () => {
    const app = new FrameworkApp({
      map: defaultRoutes(),
      controllers: { hello: compiled('greet(e="world"){return e}') },
      logger: { info() {}, warn() {}, error() {} },
    })
    const response = await app.fetch(new Request('http://localhost/hello/greet/joe'))
    assert.equal(response.status, 500)
    assert.doesNotMatch(await response.text(), /greet|renamed/)
  })

  it('are found in hooks', async () => {
    const controller = compiled('__before__(e){this.c.e=e}greet(id){return id}')
    await assert.rejects(clientOf(controller).get('/hello/greet/joe'), /t\.__before__ of the controller "hello"/)
  })

  it('are found behind decorators', async () => {
    const controller = compiled('greet(e="world"){return e}')
    decorate<object>(controller, { greet: [restrict('GET')] } as object)
    await assert.rejects(clientOf(controller).get('/hello/greet/joe'), ParameterNamesError)
  })

  it('are found beside a converter', async () => {
    const controller = compiled('greet(e,t=1){return[e,t]}', { args: { greet: { id: int } } })
    await assert.rejects(clientOf(controller).get('/hello/greet/7'), (error) => {
      assert.ok(error instanceof ParameterNamesError)
      assert.match(
        error.message,
        /its parameters \(e, t\) look renamed by a build: static args has a converter for "id"/,
      )
      return true
    })
  })
})

describe('parameters that a build kept', () => {
  const kept: [title: string, members: string, text: string][] = [
    ['static args', 'static args={greet:["id"]};greet(e="world"){return e}', 'joe'],
    ['a destructured parameter', 'greet({id:e="world"}){return e}', 'joe'],
    [
      'an asynchronous method for ES2015, by esbuild',
      'greet(_0){return helper(this,arguments,function*(id=String("world")){return id})}',
      'joe',
    ],
    [
      'an asynchronous method for ES2015, by TypeScript',
      'greet(id_1){return helper(this,arguments,void 0,function*(id,format="html"){return id+format})}',
      'joehtml',
    ],
    [
      'an asynchronous method for ES2015, by Babel',
      'greet(){return helper(function*(id="world"){return id}).apply(this,arguments)}',
      'joe',
    ],
    [
      'a destructured parameter for ES2015',
      'greet(n){return helper(this,arguments,function*({id:e}){return e})}',
      'joe',
    ],
    ['a long name that nothing supplies', 'greet(stranger="you"){return stranger}', 'you'],
    ['a short name beside one that a route supplies', 'greet(id,n=5){return id+n}', 'joe5'],
    ['a short word that nothing supplies', 'greet(id,tag="a"){return id+tag}', 'joea'],
    ['only a short word', 'greet(key="a"){return key}', 'a'],
    ['a word with an underscore', 'greet(_key){return"a"}', 'a'],
    ['a short name that another route supplies', 'greet(id,q="none"){return id+q}', 'joenone'],
    ['a default of a route', 'greet(language="de"){return language}', 'de'],
    ['an argument of the framework', 'greet(environ,e=5){return environ.REQUEST_METHOD+e}', 'GET5'],
  ]
  for (const [title, members, text] of kept) {
    it(`are used: ${title}`, async () => {
      assert.equal((await clientOf(compiled(members)).get('/hello/greet/joe')).text, text)
    })
  }

  it('are counted for remote calls', async () => {
    const source =
      'return class Service extends Base { add(a){let b=arguments.length>1&&arguments[1]!==undefined?arguments[1]:1;return a+b} }'
    const controller: Controller = new Function('Base', source)(JSONRPCController)
    const map = new Mapper().connect('/{controller}')
    const client = new TestApp(new FrameworkApp({ map, controllers: { sum: controller } }))
    const call = (params: number[]) => client.postJson('/sum', { jsonrpc: '2.0', id: 1, method: 'add', params })
    assert.equal((await call([1, 2])).json<{ result: number }>().result, 3)
    assert.equal((await call([1])).json<{ result: number }>().result, 2)
  })

  it('have converters with short names', async () => {
    const statics = { args: { greet: { q: optional(int, 1) } } }
    assert.equal((await clientOf(compiled('greet(q,n=5){return String(q+n)}', statics)).get('/hello/greet')).text, '6')
  })

  it('are supplied by _get_method_args', async () => {
    class CustomController extends WSGIController {
      override _get_method_args() {
        return { db: 'database' }
      }
      greet(db: string) {
        return db
      }
    }
    assert.equal((await clientOf(CustomController).get('/hello/greet')).text, 'database')
  })
})
