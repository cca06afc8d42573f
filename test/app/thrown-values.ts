/** Values that applications can throw, among them those that throw when they are inspected. */

const boom = (): never => {
  throw new Error('inspecting this value throws')
}

/** An error with a getter that throws. */
function withGetter(name: string): Error {
  return Object.defineProperty(new Error('message'), name, { get: boom })
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const everyTrap: ProxyHandler<object> = Object.fromEntries(
  Reflect.ownKeys(Reflect)
    .filter((name) => typeof name === 'string')
    .map((name) => [name, boom]),
)

function circular(): object {
  const error = new Error('circular')
  error.cause = error
  return error
}

/** Kinds of thrown values, by name. */
export const thrownValues: Readonly<Record<string, () => unknown>> = {
  'an error': () => new Error('ordinary'),
  'a frozen error': () => Object.freeze(new Error('frozen')),
  'an object below a DOMException': () => Object.create(new DOMException('gone', 'AbortError')),
  'an error whose stack throws': () => withGetter('stack'),
  'an error whose message throws': () => withGetter('message'),
  'an error whose cause throws': () => withGetter('cause'),
  'an error whose code throws': () => withGetter('code'),
  'an error whose name throws': () => withGetter('name'),
  'an error of which nothing can be read': () => new Proxy(new Error('message'), { get: boom, has: boom }),
  'an error whose members have no text': () =>
    Object.assign(new Error(), { name: Symbol('name'), message: Object.create(null), stack: 5n }),
  'an error that causes itself': circular,
  'an error caused by a revoked proxy': () => new Error('outer', { cause: revoked({}) }),
  'a proxy whose traps throw': () => new Proxy({}, everyTrap),
  'a revoked proxy': () => revoked({}),
  'a revoked proxy of an error': () => revoked(new Error('message')),
  'a revoked proxy of a function': () => revoked(() => {}),
  'an object whose toJSON throws': () => ({ toJSON: boom, toString: boom }),
  'an object without a prototype': () => Object.create(null),
  'an object whose toStringTag throws': () =>
    Object.defineProperty({ toJSON: boom }, Symbol.toStringTag, { get: boom }),
  'a text': () => 'only text thrown',
  'a number': () => Number.NaN,
  'an array': () => ['thrown'],
  'a function': () => () => 'thrown',
  'a promise': () => Promise.resolve('thrown'),
  'an object whose then throws': () => Object.defineProperty({}, 'then', { get: boom }),
  'an object like a Response': () => ({ status: 200, headers: new Headers(), body: 'thrown' }),
  'an object like an HTTPException': () => Object.assign(new Error('thrown'), { status: 200, headers: {} }),
  'a symbol': () => Symbol('thrown'),
  'a bigint': () => 5n,
  undefined: () => undefined,
  null: () => null,
}
