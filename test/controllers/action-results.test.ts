/** Return types of actions. Checked by the compiler: accepted classes must compile, and each `@ts-expect-error` must be an error. */
import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { describe, it } from 'node:test'
import {
  type BaseClass,
  HTTPConflict,
  JSONRPCController,
  Response,
  WSGIController,
  XMLRPCController,
} from 'propylon'
import { decorate, type Jsonable, jsonify } from 'propylon/decorators'
import type { Environ, StartResponse, WSGIApplication } from 'propylon/wsgi'

interface User {
  readonly name: string
  readonly friend?: User
  /** A name that functions have as well. */
  readonly call?: string
}

class Model {
  readonly id = 1
  readonly #secret = 2
  sum() {
    return this.id + this.#secret
  }
}

const user: User = { name: 'ann' }
const nameOf = (controller: WSGIController) => controller.render('name')
const pageOf = (controller: BaseController) => controller.page()

class Base extends WSGIController {
  static readonly title = 'base'
  readonly now = () => Date.now()
  protected size() {
    return 20
  }
  page() {
    return `Page of ${this.size()}`
  }
}
const BaseController: BaseClass<typeof Base> = Base
type BaseController = Base

abstract class Loading extends WSGIController {
  abstract _load(): Promise<User>
  async show() {
    return this._load()
  }
}
const LoadingController: BaseClass<typeof Loading> = Loading

/** Every method returns what can be sent. */
class RightController extends BaseController {
  declare formResult: User
  number = 5
  list = [1, 2]
  when = new Date()
  map = new Map([[1, 2]])
  model = new Model()
  log = (_text: string) => {}
  later?: Promise<number>
  #count() {
    return this.number
  }
  private isOwner() {
    return this.#count() > 1
  }
  protected total() {
    return this.isOwner() ? this.#count() : 0
  }
  _helper() {
    return this.total()
  }
  get even() {
    return this.number % 2 === 0
  }
  set odd(odd: boolean) {
    this.number = odd ? 1 : 2
  }
  __before__() {
    return this._helper()
  }
  nothing() {}
  async nothing_later() {}
  text() {
    return `${RightController.title} ${this.page()}`
  }
  maybe(id?: string) {
    if (id !== undefined) return id
    return
  }
  any() {
    return JSON.parse('1')
  }
  unknown(): unknown {
    return 1
  }
  async fetched() {
    return (await fetch('http://localhost/')).json()
  }
  wide(): Jsonable {
    return 1
  }
  rendered() {
    return this.render('page')
  }
  never(): never {
    throw new HTTPConflict()
  }
  exception() {
    return new HTTPConflict()
  }
  own_response() {
    return new Response('own')
  }
  platforms() {
    return new globalThis.Response('platform')
  }
  *generator() {
    yield 'text'
  }
  async *later_generator() {
    yield new Uint8Array(1)
  }
  set() {
    return new Set(['text'])
  }
  node_stream() {
    return createReadStream('file')
  }
  web_stream() {
    return new ReadableStream<Uint8Array>()
  }
  blob() {
    return new Blob([])
  }
  buffer() {
    return Buffer.from('bytes')
  }
  array_buffer() {
    return new ArrayBuffer(1)
  }
  view() {
    return new DataView(new ArrayBuffer(1))
  }
  wsgi(): WSGIApplication {
    return (_environ, start_response) => {
      start_response('200 OK', [])
      return []
    }
  }
  wsgi_inferred() {
    return (_environ: Environ, start_response: StartResponse) => {
      start_response('200 OK', [])
      return ['text']
    }
  }
  object() {
    return { count: 1, when: new Date(), done: true }
  }
  interface(): User {
    return user
  }
  async interfaces(): Promise<readonly User[] | undefined> {
    return [user]
  }
  record(): Record<string, number> {
    return {}
  }
  instance() {
    return new Model()
  }
  tuple() {
    return [1, 'two'] as const
  }
  thenable(): PromiseLike<string> {
    return Promise.resolve('text')
  }
  generic<T>(value: T) {
    return value
  }
  overloaded(id: string): string
  overloaded(id: number): object
  overloaded(id: never): unknown {
    return id
  }
  recursive(depth: number) {
    if (depth > 0) this.recursive(depth - 1)
  }
  passes_itself() {
    return nameOf(this)
  }
  passes_itself_as_base() {
    return pageOf(this)
  }
  calls_static() {
    return RightController.lengthOf(this)
  }
  static lengthOf(controller: RightController) {
    return `${controller.tuple().length}`
  }
}

class RightSubclass extends RightController {
  override text() {
    return `more ${super.text()}`
  }
}

class RightChild extends LoadingController {
  async _load() {
    return user
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the constructor of a mixin
function Greeting<T extends new (...args: any[]) => WSGIController>(Parent: T) {
  return class extends Parent {
    greet() {
      return this.render('greeting')
    }
  }
}

class RightMixed extends Greeting(WSGIController) {
  index() {
    return this.greet()
  }
}

class RightXML extends XMLRPCController {
  count() {
    return 42
  }
}

class RightJSON extends JSONRPCController {
  when() {
    return new Date()
  }
}

class RightJsonified extends WSGIController {
  count(): Jsonable {
    return 42
  }
  static {
    decorate(this, { count: [jsonify] })
  }
}

const right: Record<string, new () => WSGIController> = {
  RightController,
  RightSubclass,
  RightChild,
  RightMixed,
  RightXML,
  RightJSON,
  RightJsonified,
}

// @ts-expect-error a number
class WrongNumber extends WSGIController {
  count() {
    return 42
  }
}

// @ts-expect-error a boolean, later
class WrongBoolean extends WSGIController {
  async done() {
    return true
  }
}

// @ts-expect-error a Date
class WrongDate extends WSGIController {
  when() {
    return new Date()
  }
}

// @ts-expect-error a number in one branch
class WrongUnion extends WSGIController {
  some(id: string) {
    return id === '' ? user.name.length : user
  }
}

// @ts-expect-error a bigint
class WrongBigint extends WSGIController {
  count() {
    return 1n
  }
}

// @ts-expect-error a symbol
class WrongSymbol extends WSGIController {
  mark() {
    return Symbol.iterator
  }
}

// @ts-expect-error numbers are no chunks
class WrongGenerator extends WSGIController {
  *numbers() {
    yield 1
  }
}

// @ts-expect-error the entries of a Map are no chunks
class WrongMap extends WSGIController {
  entries() {
    return new Map([['a', 'b']])
  }
}

// @ts-expect-error the function is no WSGI application
class WrongFunction extends WSGIController {
  callback() {
    return () => 5
  }
}

// @ts-expect-error a subclass of the application's base class
class WrongChild extends BaseController {
  count() {
    return this.size()
  }
}

// @ts-expect-error a subclass of an abstract base class
class WrongLoading extends LoadingController {
  async _load() {
    return user
  }
  async count() {
    return (await this._load()).name.length
  }
}

class Misspelt extends WSGIController {
  index() {
    // @ts-expect-error misspelt
    return this.titel
  }
  show() {
    // @ts-expect-error misspelt
    return this.rendr('page')
  }
}

describe('the return types of actions', () => {
  it('are accepted if the result can be sent', () => {
    for (const controller of Object.values(right)) assert.ok(new controller() instanceof WSGIController)
  })

  it('are refused otherwise', () => {
    const wrong = [
      WrongNumber,
      WrongBoolean,
      WrongDate,
      WrongUnion,
      WrongBigint,
      WrongSymbol,
      WrongGenerator,
      WrongMap,
      WrongFunction,
      WrongChild,
      WrongLoading,
      Misspelt,
    ]
    for (const controller of wrong) assert.ok(new controller() instanceof WSGIController)
  })
})
