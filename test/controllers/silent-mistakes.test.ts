/** Mistakes that would be served without a word: misspelt parameters, and results that are not returned. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { created, FrameworkApp, Mapper, WSGIController, XMLRPCController } from 'propylon'
import { int, optional } from 'propylon/converters'
import { decorate } from 'propylon/decorators'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

type Controller = new () => WSGIController

function clientOf(controller: Controller, debug: boolean, logged: string[] = []): TestApp {
  const log = (message: string) => void logged.push(message)
  const map = new Mapper()
    .connect('/greetings/{name}', { controller: 'hello', action: 'greet' })
    .connect('/books/{book_id}/{id}', { controller: 'hello', action: 'show' })
    .connect('/{action}', { controller: 'hello' })
  const templates = { 'page.eta': '<p>Hello</p>', 'mail.eta': 'A mail' }
  const logger = { info() {}, warn: log, error: log }
  const app = new FrameworkApp({ map, controllers: { hello: controller }, templates, debug, logger })
  return new TestApp(app, { errors: debug ? 'debug' : 'page' })
}

const MISSPELT: readonly (readonly [parameters: string, meant: string])[] = [
  ['nmae', 'name'],
  ['naem', 'name'],
  ['Name', 'name'],
  ['idd', 'id'],
  ['enviorn', 'environ'],
  ['bookId', 'book_id'],
  ['fromat', 'format'],
  ['acton', 'action'],
  ['singal', 'signal'],
  ['{ nmae }', 'name'],
  ['{ nmae, ...rest }', 'name'],
  ['id, nmae', 'name'],
]

function greeting(parameters: string): Controller {
  return new Function('Base', `return class HelloController extends Base { greet(${parameters}) { return 'Hi' } }`)(
    WSGIController,
  )
}

describe('a misspelt parameter', () => {
  for (const [parameters, meant] of MISSPELT) {
    it(`is an error page in debug mode: ${parameters}`, async () => {
      const client = clientOf(greeting(parameters), true)
      for (let request = 0; request < 2; request++) {
        const response = await client.get('/greetings/Ann')
        assert.equal(response.status, 500)
        assert.match(response.text, /HelloController\.greet\(\) takes the argument/)
        assert.match(response.text, /which no route to it supplies/)
        assert.match(response.text, new RegExp(`Did you mean (?:"|&quot;)${meant}(?:"|&quot;)\\?`))
      }
    })

    it(`is logged once in production, and the action is called: ${parameters}`, async () => {
      const logged: string[] = []
      const client = clientOf(greeting(parameters), false, logged)
      for (let request = 0; request < 3; request++) {
        const response = await client.get('/greetings/Ann')
        assert.equal(response.status, 200)
        assert.equal(response.text, 'Hi')
      }
      assert.equal(logged.length, 1, logged.join('\n'))
      assert.ok(logged[0]?.includes(`Did you mean "${meant}"?`), logged[0])
    })
  }

  for (const hook of ['__before__', '__after__']) {
    for (const debug of [true, false]) {
      for (const [misspelt, meant] of [
        ['acton', 'action'],
        ['nmae', 'name'],
        ['{ enviorn }', 'environ'],
      ]) {
        it(`refuses requests in ${hook}(${misspelt}), ${debug ? 'in debug mode' : 'in production'}`, async () => {
          const logged: string[] = []
          const made: Controller = new Function(
            'Base',
            `return class HelloController extends Base { ${hook}(${misspelt}) {} wipe() { return 'wiped' } }`,
          )(WSGIController)
          const client = clientOf(made, debug, logged)
          for (let request = 0; request < 2; request++) {
            const response = await client.get('/wipe')
            assert.equal(response.status, 500)
            assert.equal(response.text.includes('wiped'), false)
            assert.equal(response.text.includes('takes the argument'), debug)
          }
          assert.ok(logged.join('\n').includes(`Did you mean "${meant}"?`), logged.join('\n'))
          assert.ok(logged.join('\n').includes('no route to hello supplies'), logged.join('\n'))
        })
      }
    }
  }

  it('is found among the names that static args states', async () => {
    class HelloController extends WSGIController {
      static args = { greet: ['nmae'] }
      greet(e: string) {
        return String(e)
      }
    }
    const response = await clientOf(HelloController, true).get('/greetings/Ann')
    assert.equal(response.status, 500)
    assert.match(response.text, /Did you mean (?:"|&quot;)name/)
  })

  it('refuses the calls of a service whose guard has it', async () => {
    class HelloController extends XMLRPCController {
      __before__(methodNam: string) {
        return methodNam
      }
      add() {
        return 1
      }
    }
    const logged: string[] = []
    const call = '<methodCall><methodName>add</methodName></methodCall>'
    const response = await clientOf(HelloController, false, logged).post('/index', call, {
      headers: { 'Content-Type': 'text/xml' },
    })
    assert.match(response.text, /<fault>/)
    assert.ok(logged.join('\n').includes('Did you mean "methodName"?'), logged.join('\n'))
  })

  const right: readonly (readonly [title: string, Controller])[] = [
    [
      'one with a default',
      class extends WSGIController {
        greet(nmae = 'x') {
          return nmae
        }
      },
    ],
    [
      'another word',
      class extends WSGIController {
        greet(name: string, depth?: number, errors?: unknown) {
          return name + String(depth) + String(errors)
        }
      },
    ],
    [
      'one that is not used',
      class extends WSGIController {
        greet(_nmae: string) {
          return 'x'
        }
      },
    ],
    [
      'one with a converter',
      class extends WSGIController {
        static args = { greet: { nmae: optional(int, 1) } }
        greet(nmae: number) {
          return String(nmae)
        }
      },
    ],
    [
      'one of _get_method_args',
      class extends WSGIController {
        override _get_method_args() {
          return { nmae: 'x' }
        }
        greet(nmae: string) {
          return nmae
        }
      },
    ],
    [
      'one of a decorator',
      class extends WSGIController {
        greet(name: string, names: string[]) {
          return name + names.join()
        }
        static {
          const adding = (method: (name: string, names: string[]) => string) =>
            function (this: unknown, ...args: unknown[]) {
              return method.call(this as never, String(args[0]), ['Ann'])
            }
          decorate(this, { greet: [adding] } as object)
        }
      },
    ],
  ]
  for (const [title, controller] of right) {
    it(`is not ${title}`, async () => {
      const logged: string[] = []
      const response = await clientOf(controller, true, logged).get('/greetings/Ann')
      assert.equal(response.status, 200, response.text)
    })
  }
})

describe('an action that renders a template and returns nothing', () => {
  class ForgetfulController extends WSGIController {
    static results = { declared: v.object({ a: v.string() }), done: null }
    static statuses = { done: 202 }

    index() {
      this.render('page')
    }

    async later() {
      await this.render('page')
    }

    accepted() {
      this.render('mail')
      this.response.status = 202
    }

    declared(): unknown {
      this.render('page')
      return undefined
    }

    done() {
      this.render('mail')
    }

    empty() {
      this.render('mail')
      this.response.status = 204
    }

    moved() {
      this.render('mail')
      this.response.status = 303
      this.response.headers.set('Location', '/')
    }

    written() {
      this.response.write(String(this.render('page')))
    }

    created() {
      this.render('mail')
      return created('/')
    }

    silent() {}

    nothing() {
      this.render('mail')
      return null
    }
  }

  for (const action of ['index', 'later', 'accepted', 'declared']) {
    it(`is an error page in debug mode: ${action}`, async () => {
      const response = await clientOf(ForgetfulController, true).get(`/${action}`)
      assert.equal(response.status, 500)
      assert.ok(response.text.includes(`ForgetfulController.${action}() renders a template, but returns nothing`))
      assert.match(response.text, /Write return before this\.render\(…\)/)
    })

    it(`is sent in production, and logged once: ${action}`, async () => {
      class OwnController extends ForgetfulController {}
      const logged: string[] = []
      const client = clientOf(OwnController, false, logged)
      for (let request = 0; request < 3; request++) {
        assert.equal((await client.get(`/${action}`)).status, action === 'accepted' ? 202 : 200)
      }
      assert.equal(logged.length, 1)
      assert.match(logged[0] ?? '', /renders a template, but returns nothing/)
    })
  }

  for (const action of ['done', 'empty', 'moved', 'written', 'silent', 'nothing']) {
    it(`is right if it means it: ${action}`, async () => {
      const logged: string[] = []
      const response = await clientOf(ForgetfulController, true, logged).get(`/${action}`)
      assert.ok(response.status < 400, response.text)
      assert.doesNotMatch(logged.join('\n'), /returns nothing/)
    })
  }

  it('is right if it returns an outcome without a value', async () => {
    const response = await clientOf(ForgetfulController, true).postJson('/created', {})
    assert.equal(response.status, 201)
  })

  it('is right if __after__ writes the body', async () => {
    class LayoutController extends WSGIController {
      page: string | undefined

      index() {
        this.page = String(this.render('page'))
      }

      __after__() {
        this.response.write(this.page ?? '')
      }
    }
    assert.equal((await clientOf(LayoutController, true).get('/index')).text, '<p>Hello</p>')
  })

  it('is right if only __before__ renders', async () => {
    class MenuController extends WSGIController {
      __before__() {
        this.c.menu = this.render('page')
      }

      index() {}
    }
    assert.equal((await clientOf(MenuController, true).get('/index')).status, 200)
  })
})

describe('an argument of static args', () => {
  function clientWith(args: unknown, parameters: string): TestApp {
    const made: Controller = new Function(
      'Base',
      'args',
      `return class HelloController extends Base { static args = args; greet(${parameters}) { return typeof ${parameters} } __after__() {} }`,
    )(WSGIController, args)
    return clientOf(made, true)
  }

  for (const name of ['environ', 'start_response']) {
    it(`may not be ${name}, which the framework supplies`, async () => {
      const response = await clientWith({ greet: { [name]: int } }, name).get('/greet')
      assert.equal(response.status, 500)
      assert.match(response.text, new RegExp(`declares (?:"|&quot;)${name}.*, which the framework supplies`))
    })
  }

  for (const name of ['signal', 'error', 'format']) {
    it(`may be ${name}, and has the value of the query`, async () => {
      assert.equal((await clientWith({ greet: { [name]: int } }, name).get(`/greet?${name}=5`)).text, 'number')
    })
  }
})

describe('a procedure with the name of a member of the base class', () => {
  for (const name of ['render', 'fresh', 't', 'toString', 'session']) {
    for (const debug of [true, false]) {
      it(`is refused with the reason, ${debug ? 'in debug mode' : 'in production'}: ${name}`, async () => {
        const made: Controller = new Function(
          'Base',
          `return class HelloController extends Base { ${name}() { return 1 } add() { return 2 } }`,
        )(XMLRPCController)
        const logged: string[] = []
        const call = '<methodCall><methodName>add</methodName></methodCall>'
        const headers = { 'Content-Type': 'text/xml' }
        const response = await clientOf(made, debug, logged).post('/index', call, { headers })
        assert.doesNotMatch(response.text, /<int>2</)
        assert.match(logged.join('\n'), new RegExp(`HelloController\\.${name}\\(\\) replaces`))
      })
    }
  }
})
