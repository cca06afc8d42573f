/**
 * Replaces `node:test` in test files: collects their tests, so that they can be run one by one in this process.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'

type Hook = () => unknown
type Body = (context: Context) => unknown
interface Options {
  readonly skip?: unknown
  readonly todo?: unknown
}
type Arguments<Function> = readonly (string | Options | Function | undefined)[]

/** A test, and the suites that contain it, outermost first. */
export interface CollectedTest {
  readonly name: string
  readonly suites: readonly Suite[]
  run(): Promise<void>
}

/** The hooks of a call of `describe`, or of a file. */
export class Suite {
  readonly before: Hook[] = []
  readonly beforeEach: Hook[] = []
  readonly afterEach: Hook[] = []
  readonly after: Hook[] = []
}

/** The place in a file where tests are being defined. */
interface Place {
  readonly tests: CollectedTest[]
  readonly names: readonly string[]
  readonly suites: readonly Suite[]
}

const places = new AsyncLocalStorage<Place>()
const { mock: realMock } = process.getBuiltinModule('node:test')

/** Calls a function that imports a test file, and returns the tests of the file. */
export async function collect(load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  const tests: CollectedTest[] = []
  await places.run({ tests, names: [], suites: [new Suite()] }, load)
  return tests
}

function place(): Place {
  const current = places.getStore()
  if (current === undefined) throw new Error('A test was defined outside a test file.')
  return current
}

/** Returns the function among the arguments of `test` or `describe`, or undefined if it is not to be called. */
function parse<Function>(args: Arguments<Function>): { name: string; body: Function | undefined } {
  let name = ''
  let body: Function | undefined
  for (const value of args) {
    if (typeof value === 'string') name = value
    else if (typeof value === 'function') body = value as Function
    else if (typeof value === 'object' && value !== null) {
      const { skip, todo }: Options = value
      if (skip || todo) return { name, body: undefined }
    }
  }
  return { name, body }
}

/** The argument of a test's function. */
class Context {
  readonly name: string
  readonly mock: typeof realMock = Reflect.construct(realMock.constructor, [])
  readonly signal = new AbortController().signal
  readonly #after: Hook[] = []

  constructor(name: string) {
    this.name = name
  }

  after(hook: Hook): void {
    this.#after.push(hook)
  }

  diagnostic(): void {}

  async test(...args: Arguments<Body>): Promise<void> {
    const { name, body } = parse<Body>(args)
    if (body !== undefined) await runBody(`${this.name} > ${name}`, body)
  }

  async finish(): Promise<void> {
    for (const hook of this.#after) await hook()
    this.mock.reset()
    this.mock.timers.reset()
  }
}

async function runBody(name: string, body: Body): Promise<void> {
  const context = new Context(name)
  try {
    await body(context)
  } finally {
    await context.finish()
  }
}

export async function test(...args: Arguments<Body>): Promise<void> {
  const { name, body } = parse<Body>(args)
  const { tests, suites, names } = place()
  if (body === undefined) return
  const fullName = [...names, name].join(' > ')
  tests.push({ name: fullName, suites, run: () => runBody(fullName, body) })
}

export async function describe(...args: Arguments<() => unknown>): Promise<void> {
  const { name, body } = parse<() => unknown>(args)
  const { tests, suites, names } = place()
  if (body === undefined) return
  await places.run({ tests, names: [...names, name], suites: [...suites, new Suite()] }, body)
}

const innermost = (): Suite | undefined => place().suites.at(-1)
export const before = (hook: Hook): unknown => innermost()?.before.push(hook)
export const after = (hook: Hook): unknown => innermost()?.after.push(hook)
export const beforeEach = (hook: Hook): unknown => innermost()?.beforeEach.push(hook)
export const afterEach = (hook: Hook): unknown => innermost()?.afterEach.push(hook)
export { describe as suite, realMock as mock, test as it }
export default test
