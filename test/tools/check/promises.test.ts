import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Checked, check, DEFAULT_ROUTES, type Files, project, routing } from './project.ts'

const BASE = `import { WSGIController } from 'propylon'

export class GuardedController extends WSGIController {
  user = ''
  async __before__(environ: object) { this.user = await findUser(environ) }
  async __after__() {}
  async _check(): Promise<boolean> { return this.user !== '' }
  _later(): Promise<void> { return Promise.resolve() }
  _delegated() { return this._check() }
  _promised() { return new Promise((resolve) => resolve(1)) }
  _now() { return this.user }
  _arrow = async () => this.user
  get ready() { return Promise.resolve(true) }
  async *_rows() { yield this.user }
  static async allowed(name: string) { return name !== '' }
}

export async function findUser(environ: object): Promise<string> { return String(environ) }
export function plain(environ: object): string { return String(environ) }
`

/** Members of a class that extends GuardedController, and words of the finding. */
type Case = readonly [title: string, member: string, says?: string]

const DROPPED: readonly Case[] = [
  [
    'super.__before__()',
    '__before__(environ: object) { super.__before__(environ) }',
    'super.__before__(environ)',
  ],
  ['super.__before__() in an async hook', 'async __before__(environ: object) { super.__before__(environ) }'],
  ['super.__before__() after void', '__before__(environ: object) { void super.__before__(environ) }'],
  [
    'super.__before__() with catch',
    '__before__(environ: object) { super.__before__(environ).catch(() => {}) }',
  ],
  [
    'super.__before__() in a branch',
    '__before__(environ: object) { if (environ) { super.__before__(environ) } }',
  ],
  [
    'a branch of a conditional',
    '__before__(environ: object) { this.user ? this._now() : super.__before__(environ) }',
  ],
  ['the right side of &&', '__before__(environ: object) { this.user && super.__before__(environ) }'],
  ['a sequence', '__before__(environ: object) { return super.__before__(environ), this.c.x = 1 }'],
  ['a constant without a use', '__before__(environ: object) { const done = super.__before__(environ) }'],
  [
    'an arrow function that is called',
    '__before__(environ: object) { const go = () => super.__before__(environ); go() }',
  ],
  [
    'an async function that is called at once',
    '__before__(environ: object) { (async () => { await super.__before__(environ) })() }',
  ],
  [
    'an async function of the project in __before__',
    '__before__(environ: object) { findUser(environ) }',
    'findUser(environ)',
  ],
  ['super.__after__()', '__after__() { super.__after__() }', 'super.__after__()'],
  ['an async method', 'async show() { this._check(); return "x" }', 'this._check()'],
  ['a method that declares a promise', 'show() { this._later(); return "x" }', 'void this._later()'],
  ['a method that returns the promise of another', 'show() { this._delegated(); return "x" }'],
  ['a method that returns a new promise', 'show() { this._promised(); return "x" }'],
  ['a field with an async function', 'show() { this._arrow(); return "x" }'],
  [
    'a private method',
    '#save = async () => {}\n  async #load() {}\n  show() { this.#load(); return "x" }',
    'this.#load()',
  ],
  ['then without a second function', 'show() { this._check().then(() => {}); return "x" }'],
  ['Promise.all', 'show() { Promise.all([this._now(), this._check()]); return "x" }'],
  [
    'Promise.all of a list',
    'show(...ids: string[]) { Promise.all(ids.map((id) => this._check())); return "x" }',
  ],
  [
    'forEach with an arrow function',
    'show(...ids: string[]) { ids.forEach((id) => this._check()); return "x" }',
  ],
  [
    'forEach with an async function',
    'show(...ids: string[]) { ids.forEach(async (id) => { await this._check() }); return "x" }',
  ],
  ['a callback', 'show() { setTimeout(() => { this._check() }, 1); return "x" }'],
  ['a condition', 'show() { if (this._check()) return "x"; return "y" }', 'always true'],
  ['a negated condition', '__before__() { if (!this._check()) throw new Error("no") }', 'always true'],
  ['the left side of ||', 'show() { return this._check() || "x" }', 'always true'],
  [
    'super.__call__()',
    'async __call__(environ: any, start: any) { super.__call__(environ, start); return [] }',
    'super.__call__(environ, start)',
  ],
  [
    'a static method by the name of its class',
    'static async save() {}\n  show() { CNController.save(); return "x" }',
    'CNController.save()',
  ],
  [
    'a static method of a base class',
    'show() { GuardedController.allowed("x"); return "x" }',
    'GuardedController.allowed("x")',
  ],
  [
    'a static method by the constructor',
    'static async save() {}\n  show() { (this.constructor as typeof CNController).save(); return "x" }',
  ],
  ['a static method in another', 'static async save() {}\n  static all() { this.save() }', 'this.save()'],
  [
    'super in a static method',
    'static allowed(name: string) { super.allowed(name); return Promise.resolve(true) }',
    'super.allowed(name)',
  ],
  ['another name of this', 'show() { const self = this; self._check(); return "x" }', 'self._check()'],
  [
    'another name of this in a function',
    'show() { const self = this; function go() { self._check() }; go(); return "x" }',
    'self._check()',
  ],
  ['a method taken out of this', 'show() { const { _check: check } = this; check(); return "x" }', 'check()'],
  ['a bound method', 'show() { const check = this._check.bind(this); check(); return "x" }', 'check()'],
  ['a method by call()', 'show() { this._check.call(this); return "x" }', 'this._check.call(this)'],
  ['a constructor', 'constructor(...args: any[]) { super(...args as []); this._check() }', 'this._check()'],
  ['a getter', 'show() { this.ready; return "x" }', 'this.ready'],
  [
    'a list',
    'show() { [this._check(), this._now()]; return "x" }',
    'await Promise.all([this._check(), this._now()])',
  ],
  ['a list without a use', 'show() { const all = [this._check()]; return "x" }', 'the list [this._check()]'],
  [
    'a list that is awaited',
    'async show() { await [this._check()]; return "x" }',
    'the list [this._check()]',
  ],
  [
    'map',
    'show(...ids: string[]) { ids.map(() => this._check()); return "x" }',
    'Promise.all(ids.map(() => this._check()))',
  ],
  [
    'map with an async function that is awaited',
    'async show(...ids: string[]) { await ids.map(async () => { await this._check() }); return "x" }',
  ],
  ['Array.from', 'show(id: string) { Array.from(new Set(id), () => this._check()); return "x" }'],
  ['a timer', 'show() { setTimeout(() => this._check(), 1); return "x" }'],
  ['process.nextTick', 'show() { process.nextTick(() => this._check()); return "x" }'],
  ['some', 'show(...ids: string[]) { return ids.some(() => this._check()) ? "x" : "y" }', 'always true'],
  [
    'filter with an async function',
    'show(...ids: string[]) { return ids.filter(async () => await this._check()).join() }',
    'always true',
  ],
]

const CALL = '__call__(environ: any, start: any)'

const EARLY: readonly Case[] = [
  [
    'return without await',
    `${CALL} { try { return super.__call__(environ, start) } finally { this._now() } }`,
  ],
  [
    'an async method',
    `async ${CALL} { try { return super.__call__(environ, start) } finally { this._now() } }`,
  ],
  [
    'a constant',
    `async ${CALL} { try { const body = super.__call__(environ, start); return body } finally { this._now() } }`,
  ],
  [
    'an arrow function',
    `${CALL} { try { return [1].map(() => super.__call__(environ, start))[0] } finally { this._now() } }`,
  ],
]

const WAITED: readonly Case[] = [
  ...[
    'const [findUser] = [plain]; findUser(environ)',
    'const { a: findUser = plain } = {} as { a?: typeof plain }; findUser(environ)',
    'const { a: { b: findUser } } = { a: { b: plain } }; findUser(environ)',
    'const [, ...[findUser]] = [plain, plain] as const; findUser(environ)',
    'const go = ({ findUser }: { findUser: typeof plain }) => { findUser(environ) }; go({ findUser: plain })',
    'const go = (findUser = plain) => { findUser(environ) }; go()',
  ].map((body): Case => [`a function from a pattern: ${body}`, `__before__(environ: object) { ${body} }`]),
  [
    'a function from a member with a computed name',
    '__before__(environ: object) { const { [String(environ)]: findUser } = { a: plain } as Record<string, typeof plain>; findUser(environ) }',
  ],
  ['a static method that is awaited', 'async show() { await GuardedController.allowed("x"); return "x" }'],
  [
    'another name of this that is awaited',
    'async show() { const self = this; await self._check(); return "x" }',
  ],
  [
    'a method of a name that is not this',
    'show() { const self = { async _check() {} }; self._check(); return "x" }',
  ],
  [
    'a method of another this',
    'show() { const go = function (this: any) { this._check() }; go.call({ _check() {} }); return "x" }',
  ],
  [
    'a class behind a local name',
    'show() { const GuardedController = { allowed() {} }; GuardedController.allowed(); return "x" }',
  ],
  [
    'a list for Promise.all',
    'async show(...ids: string[]) { await Promise.all(ids.map(() => this._check())); return "x" }',
  ],
  [
    'a list that is kept and awaited',
    'async show(...ids: string[]) { const all = ids.map(() => this._check()); await Promise.all(all); return "x" }',
  ],
  ['a list after void', 'show(...ids: string[]) { void ids.map(() => this._check()); return "x" }'],
  [
    'a list of handled promises',
    'show(...ids: string[]) { ids.map(() => this._check().catch(() => {})); return "x" }',
  ],
  ['a timer with void', 'show() { setTimeout(() => void this._check(), 1); return "x" }'],
  [
    'a timer that handles errors',
    'show() { setTimeout(async () => { try { await this._check() } catch {} }, 1); return "x" }',
  ],
  [
    'a predicate without a promise',
    'show(...ids: string[]) { return ids.some(() => this._now()) ? "x" : "y" }',
  ],
  [
    'a predicate of a stream',
    'async show() { const rows: any = this.c.rows; for await (const row of rows.filter(() => this._check())) this.c.x = row; return await rows.some(() => this._check()) ? "x" : "y" }',
  ],
  ['await', 'async __before__(environ: object) { await super.__before__(environ) }'],
  ['return', '__before__(environ: object) { return super.__before__(environ) }'],
  [
    'a branch that is returned',
    '__before__(environ: object) { return this.user ? undefined : super.__before__(environ) }',
  ],
  [
    'a constant that is awaited',
    'async __before__(environ: object) { const done = super.__before__(environ); this.c.x = 1; await done }',
  ],
  [
    'an arrow function that is awaited',
    'async __before__(environ: object) { const go = () => super.__before__(environ); await go() }',
  ],
  [
    'Promise.all that is awaited',
    'async __before__(environ: object) { await Promise.all([super.__before__(environ), this._check()]) }',
  ],
  ['void in an action', 'show() { void this._check(); return "x" }'],
  ['catch in an action', 'show() { this._check().catch(() => {}); return "x" }'],
  [
    'catch behind then',
    'show() { this._check().then(() => {}).catch(() => {}).finally(() => {}); return "x" }',
  ],
  ['then with both functions', 'show() { this._check().then(() => {}, () => {}); return "x" }'],
  ['a method without a promise', 'show() { this._now(); return "x" }'],
  [
    'a method that a subclass overrides without a promise',
    '_later(): any { return 1 }\n  show() { this._later(); return "x" }',
  ],
  ['a promise that is kept', 'kept: unknown\n  show() { this.kept = this._check(); return "x" }'],
  [
    'promises in a list',
    'async show() { const all = []; all.push(this._check()); await Promise.all(all); return "x" }',
  ],
  ['for await', 'async show() { for await (const row of this._rows()) this.c.x = row; return "x" }'],
  ['a generator that is called', 'show() { this._rows(); return "x" }'],
  ['a function of the project in an action', 'show() { findUser({}); return "x" }'],
  ['a function without a promise in a hook', '__before__(environ: object) { plain(environ) }'],
  ['a local async function without methods', 'show() { const log = async () => {}; log(); return "x" }'],
  ['a method of another object', 'show() { const other = { _check() {} }; other._check(); return "x" }'],
  ['an own function of the same name', 'show() { const _check = () => {}; _check(); return "x" }'],
  ['a condition on what was awaited', 'async show() { if (await this._check()) return "x"; return "y" }'],
  [
    'a default for a promise that may be missing',
    'kept: any\n  async show() { return await (this.kept ?? this._check()) ? "x" : "y" }',
  ],
  [
    'await in finally',
    `async ${CALL} { try { return await super.__call__(environ, start) } finally { this._now() } }`,
  ],
  [
    'a constant that is awaited before finally',
    `async ${CALL} { try { const body = super.__call__(environ, start); return await body } finally { this._now() } }`,
  ],
  ['try without finally', `${CALL} { try { return super.__call__(environ, start) } catch { return [] } }`],
  [
    'finally behind the call',
    `async ${CALL} { const body = await super.__call__(environ, start); try { this._now() } finally { this._now() } return body }`,
  ],
]

/** Returns one controller for each case. Its method is on line 4. */
function controllers(cases: readonly Case[]): Files {
  const files = cases.map(([, member], index) => [
    `controllers/c${index}.ts`,
    `import { findUser, GuardedController, plain } from '../lib/guarded.ts'\n\nexport class C${index}Controller extends GuardedController {\n  ${member.replaceAll('CNController', `C${index}Controller`)}\n}\n`,
  ])
  return {
    'config/routing.ts': routing(...DEFAULT_ROUTES),
    'lib/guarded.ts': BASE,
    ...Object.fromEntries(files),
  }
}

describe('check reports a promise for which nothing waits', () => {
  let checked: Checked
  before(async () => {
    checked = await check(project(controllers(DROPPED)))
  })

  for (const [index, [title, , says = '']] of DROPPED.entries()) {
    it(title, () => {
      const found = checked.findings.filter(({ file }) => file === `controllers/c${index}.ts`)
      assert.deepEqual(
        found.map(({ code, severity }) => [code, severity]),
        [['promise-dropped', 'error']],
        JSON.stringify(found),
      )
      assert.ok(
        `${found[0]?.message} ${found[0]?.fix}`.includes(
          says.replaceAll('CNController', `C${index}Controller`),
        ),
        found[0]?.message,
      )
    })
  }

  it('names the method and the place', () => {
    const [first] = checked.findings.filter(({ file }) => file === 'controllers/c0.ts')
    assert.deepEqual(
      [first?.line, first?.column, first?.controller, first?.action],
      [4, 33, 'c0', '__before__'],
    )
    assert.match(first?.message ?? '', /^C0Controller\.__before__\(\) does not wait for/)
  })
})

describe('check reports a finally that does not wait for super.__call__()', () => {
  let checked: Checked
  before(async () => {
    checked = await check(project(controllers(EARLY)))
  })

  for (const [index, [title]] of EARLY.entries()) {
    it(title, () => {
      const found = checked.findings.filter(({ file }) => file === `controllers/c${index}.ts`)
      assert.deepEqual(
        found.map(({ code, severity }) => [code, severity]),
        [['finally-early', 'error']],
      )
    })
  }
})

describe('check accepts a promise for which something waits, or nothing on purpose', () => {
  let checked: Checked
  before(async () => {
    checked = await check(project(controllers(WAITED)))
  })

  for (const [index, [title]] of WAITED.entries()) {
    it(title, () => {
      assert.deepEqual(
        checked.findings.filter(({ file }) => file === `controllers/c${index}.ts`),
        [],
      )
    })
  }

  it('reports nothing else', () => assert.deepEqual(checked.findings, []))
})

it('reports a promise that a base class drops, once for all its controllers', async () => {
  const member = 'index() { return "x" }'
  const { findings } = await check(
    project({
      'config/routing.ts': routing(...DEFAULT_ROUTES),
      'lib/guarded.ts': BASE,
      'lib/admin.ts':
        "import { GuardedController } from './guarded.ts'\n\nexport class AdminController extends GuardedController {\n  __before__(environ: object) { super.__before__(environ) }\n}\n",
      ...Object.fromEntries(
        ['One', 'Two'].map((name) => [
          `controllers/${name.toLowerCase()}.ts`,
          `import { AdminController } from '../lib/admin.ts'\n\nexport class ${name}Controller extends AdminController {\n  ${member}\n}\n`,
        ]),
      ),
    }),
  )
  assert.deepEqual(
    findings.map(({ code, file, line, message }) => [code, file, line, message.split(' ')[0]]),
    [['promise-dropped', 'lib/admin.ts', 4, 'AdminController.__before__()']],
  )
})
