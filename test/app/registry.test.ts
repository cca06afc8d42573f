import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ControllerLoadError, type ControllerSource, FrameworkApp, type FrameworkAppOptions, Mapper } from 'propylon'

const CLASS = `extends class { __call__() { return [] } } {}`

let directory: string

async function file(name: string, text = `export default class ${CLASS}`): Promise<void> {
  await mkdir(join(directory, name, '..'), { recursive: true })
  await writeFile(join(directory, name), text)
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'propylon contrôleurs '))
})

afterEach(() => rm(directory, { recursive: true }))

const url = () => pathToFileURL(`${directory}/`)

/** Returns the controllers of a new application, which has scanned once. */
function registryOf(controllers: FrameworkAppOptions['controllers']) {
  return new FrameworkApp({ map: new Mapper(), controllers }).controllers
}

describe('a class whose static records are wrong', () => {
  it('is a warning in debug mode, and the error of each request', async () => {
    const wrong = 'class UsersController extends WSGIController { static pages = { shwo: "x" }; show() {} }'
    const propylon = import.meta.resolve('propylon')
    await file('users.ts', `import { WSGIController } from '${propylon}'\nexport ${wrong}`)
    const logged: string[] = []
    const logger = { info() {}, warn: (text: string) => void logged.push(text), error() {} }
    const map = new Mapper().connect('/', { controller: 'users', action: 'show' })
    const app = new FrameworkApp({ map, controllers: url(), debug: true, logger })
    for (const _ of [1, 2]) {
      assert.equal((await app.fetch(new Request('http://localhost/'))).status, 500)
    }
    assert.equal(logged.filter((text) => text.includes('UsersController.pages names "shwo"')).length, 1)
  })
})

describe('the scan of a directory', () => {
  it('names files by their path', async () => {
    await file('users.ts')
    await file('admin/users.ts')
    await file('admin/deep/panel.mjs')
    await file('my_thing.js')
    assert.deepEqual(registryOf(url()).names.sort(), ['admin/deep/panel', 'admin/users', 'my_thing', 'users'])
  })

  const ignored = [
    '_private.ts',
    '_private/users.ts',
    'types.d.ts',
    'users.test.ts',
    'notes.md',
    'with space.ts',
    '.hidden.ts',
    'data.json',
  ]
  for (const name of ignored) {
    it(`ignores ${name}`, async () => {
      await file(name)
      assert.equal(registryOf(url()).names.length, 0)
    })
  }

  it('prefers the TypeScript source if both exist', async () => {
    await file('users.js', `export class UsersController ${CLASS}`)
    await file('users.ts', 'export default function source() {}')
    const loaded = await registryOf(url()).find('users')
    assert.equal(loaded?.kind === 'application' && loaded.application.name, 'source')
  })

  it('follows links, except circular ones', async () => {
    await file('real/users.ts')
    await symlink(join(directory, 'real'), join(directory, 'linked'))
    await symlink(directory, join(directory, 'real', 'loop'))
    await symlink(join(directory, 'nowhere'), join(directory, 'dangling.ts'))
    assert.deepEqual(registryOf(url()).names.sort(), ['linked/users', 'real/users'])
  })

  it('throws an error that names a missing directory and the way of a bundle', () => {
    assert.throws(
      () => registryOf(new URL('missing/', url())),
      (error: Error) => {
        assert.match(error.message, /^There is no directory of controllers at .*\/missing\/ \(ENOENT\)\. Correct/)
        assert.match(error.message, /A bundled application .* import\.meta\.glob/)
        return true
      },
    )
  })

  it('throws an error if the directory is a file', async () => {
    await file('users.ts')
    assert.throws(() => registryOf(new URL('users.ts', url())), /There is no directory of controllers at/)
  })
})

describe('a record of controllers', () => {
  const load = async () => ({ default: () => [] })

  const paths: [path: string, names: string[]][] = [
    ['./controllers/users.ts', ['users']],
    ['./controllers/admin/users.ts', ['admin/users']],
    ['/src/controllers/my_thing.js', ['my_thing']],
    ['../web/controllers/controllers/deep.mjs', ['controllers/deep']],
    ['./users.ts', ['users']],
    ['../../users.ts', ['users']],
    ['users', ['users']],
    ['admin/users', ['admin/users']],
    ['users.ts', ['users.ts']],
    ['./controllers/_private.ts', []],
    ['./controllers/_private/users.ts', []],
    ['./controllers/types.d.ts', []],
    ['./controllers/users.test.ts', []],
    ['./controllers/style.css', []],
  ]
  for (const [path, names] of paths) {
    it(`names ${path} ${names[0] ?? 'nothing'}`, () => {
      assert.deepEqual(registryOf({ [path]: load }).names, names)
    })
  }

  it('loads the module of a path', async () => {
    const glob: Record<string, () => Promise<unknown>> = { './controllers/users.ts': load }
    assert.equal((await registryOf(glob).find('users'))?.kind, 'application')
  })

  it('throws an error that says what to pass in place of nothing', () => {
    const nothing = JSON.parse('{}').controllers
    assert.throws(() => registryOf(nothing), /FrameworkApp received undefined as controllers\. Pass a directory/)
  })

  it('throws an error if two keys have one name', () => {
    assert.throws(
      () => registryOf({ './controllers/users.ts': load, './controllers/users.js': load }),
      /Two keys of the option controllers have the name "users"\./,
    )
  })

  it('throws an error if a function imports no module', async () => {
    await assert.rejects(
      Promise.resolve(registryOf({ users: async () => undefined }).find('users')),
      /Controller "users" cannot be loaded: its function does not import a module/,
    )
  })
})

describe('the class name of a controller', () => {
  for (const [name, expected] of [
    ['users', 'UsersController'],
    ['my_thing', 'MyThingController'],
    ['with-dash', 'WithDashController'],
    ['admin/panel', 'PanelController'],
    ['i18nc', 'I18ncController'],
  ] as const) {
    it(`of ${name} is ${expected}`, async () => {
      const text = `export class ${expected} ${CLASS}; export default class Other ${CLASS}`
      assert.equal(await kindOf(text, name), `class ${expected}`)
    })
  }
})

async function kindOf(text: string, name = 'users'): Promise<string> {
  await file(`${name}.ts`, text)
  const registry = registryOf(directory)
  const loaded = await registry.find(name)
  if (loaded === undefined) return 'none'
  return loaded.kind === 'class' ? `class ${loaded.controllerClass.name}` : `application ${loaded.application.name}`
}

const modules: [label: string, text: string, expected: string][] = [
  [
    'the class named after it',
    `export class UsersController ${CLASS}; export default class Other ${CLASS}`,
    'class UsersController',
  ],
  ['the default export', `export default class Other ${CLASS}`, 'class Other'],
  [
    'the export that __controller__ names',
    `export const __controller__ = 'Mine'; export class UsersController ${CLASS}; export class Mine ${CLASS}`,
    'class Mine',
  ],
  ['a plain function', 'export default function mounted(environ, start_response) {}', 'application mounted'],
  ['an object with wsgi', 'export default { wsgi: function blog() {} }', 'application blog'],
]

describe('a controller file', () => {
  for (const [label, text, expected] of modules) {
    it(`serves ${label}`, async () => {
      assert.equal(await kindOf(text), expected)
    })
  }

  const broken: [label: string, text: string, message: RegExp][] = [
    ['that exports nothing', 'export {}', /"users".*exports nothing. Export UsersController/],
    ['that exports something else', 'export class User {}', /it exports User. Export UsersController/],
    ['whose class has no __call__', 'export class UsersController {}', /Extend WSGIController/],
    ['whose __controller__ names nothing', `export const __controller__ = 'Lost'`, /"Lost"/],
    ['whose __controller__ is no name', 'export const __controller__ = 1', /__controller__ is 1/],
    ['that does not parse', 'export class {', /"users" cannot be loaded.*users\.ts/s],
    ['that throws', `throw new Error('at load')`, /at load/],
    ['that exports a number', 'export default 42', /neither a controller class nor a WSGI callable/],
  ]
  for (const [label, text, message] of broken) {
    it(`${label} is a ControllerLoadError`, async () => {
      await assert.rejects(kindOf(text), (error) => error instanceof ControllerLoadError && message.test(error.message))
    })
  }
})

describe('app.controllers', () => {
  it('finds only what the scan found', async () => {
    await file('users.ts')
    const registry = registryOf(url())
    assert.deepEqual([...registry.scan()], ['users'])
    for (const name of ['constructor', '__proto__', 'toString', '../users', 'users.ts', '']) {
      assert.equal(registry.find(name), undefined)
    }
  })

  it('returns a loaded controller without a promise', async () => {
    await file('users.ts')
    const registry = registryOf(url())
    const loaded = await registry.find('users')
    assert.equal(registry.find('users'), loaded)
  })

  it('keeps loaded controllers across scans', async () => {
    await file('users.ts')
    const registry = registryOf(url())
    const loaded = await registry.find('users')
    registry.scan()
    assert.equal(registry.find('users'), loaded)
  })

  it('finds a new file after a scan, and no longer a removed one', async () => {
    await file('users.ts')
    const registry = registryOf(url())
    await file('hello.ts')
    await rm(join(directory, 'users.ts'))
    assert.deepEqual([...registry.scan()], ['hello'])
    assert.equal(registry.find('users'), undefined)
  })

  it('loads a file that failed again after a scan', async () => {
    await file('users.ts', 'export class {')
    const registry = registryOf(url())
    await assert.rejects(async () => registry.find('users'), ControllerLoadError)
    await file('users.ts', `export class UsersController ${CLASS}`)
    registry.scan()
    assert.equal((await registry.find('users'))?.kind, 'class')
  })

  const misspelt: [specifier: string, hint: RegExp][] = [
    ['../lib/base', / \(did you mean 'base\.ts'\? Node requires the file extension in an import\) \(in /],
    ['../lib/base.js', / \(did you mean 'base\.ts'\? /],
    ['../lib/with%20blank', / \(did you mean 'with blank\.ts'\? /],
    ['../lib/absent', /absent' imported from [^(]+\/users\.ts \(in /],
    ['../lib/absent.ts', /absent\.ts' imported from [^(]+\/users\.ts \(in /],
  ]
  for (const [specifier, hint] of misspelt) {
    it(`suggests the nearest file: ${specifier}`, async () => {
      await file('lib/base.ts')
      await file('lib/with blank.ts')
      await file('controllers/users.ts', `import '${specifier}'`)
      const registry = registryOf(new URL('controllers/', url()))
      await assert.rejects(async () => registry.find('users'), hint)
    })
  }

  it('hints at a missing extension once in the stack of the cause', async () => {
    await file('lib/base.ts')
    await file('controllers/users.ts', "import '../lib/base'")
    const registry = registryOf(new URL('controllers/', url()))
    await assert.rejects(
      async () => registry.find('users'),
      ({ cause }: Error) => cause instanceof Error && cause.stack?.split('did you mean').length === 2,
    )
  })

  it('loads the others if one fails', async () => {
    await file('broken.ts', 'export class {')
    await file('users.ts')
    const registry = registryOf(url())
    await assert.rejects(registry.loadAll(), (error) => error instanceof AggregateError && error.errors.length === 1)
    assert.equal((await registry.find('users'))?.kind, 'class')
  })

  class Users {
    __call__() {
      return []
    }
  }
  const records: [label: string, source: ControllerSource, kind: string][] = [
    ['a class', Users, 'class'],
    ['a WSGI callable', (_environ, _start) => [], 'application'],
    ['an object with wsgi', { wsgi: () => [] }, 'application'],
    ['a function that imports', async () => ({ UsersController: Users }), 'class'],
  ]
  for (const [label, source, kind] of records) {
    it(`accepts ${label} in a record`, async () => {
      const registry = registryOf({ users: source })
      assert.equal((await registry.find('users'))?.kind, kind)
    })
  }
})
