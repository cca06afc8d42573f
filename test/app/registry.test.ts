import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { scanControllerDirectory } from '../../src/app/controller-directory.ts'
import { ControllerLoadError, controllerClassName } from '../../src/app/loaded-controller.ts'
import { ControllerRegistry, type ControllerSource } from '../../src/app/registry.ts'

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

describe('scanControllerDirectory', () => {
  it('names files by their path', async () => {
    await file('users.ts')
    await file('admin/users.ts')
    await file('admin/deep/panel.mjs')
    await file('my_thing.js')
    assert.deepEqual([...scanControllerDirectory(url()).keys()].sort(), [
      'admin/deep/panel',
      'admin/users',
      'my_thing',
      'users',
    ])
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
    it(`takes ${name} for no controller`, async () => {
      await file(name)
      assert.equal(scanControllerDirectory(url()).size, 0)
    })
  }

  it('prefers the TypeScript source where both are there', async () => {
    await file('users.js')
    await file('users.ts')
    assert.match(scanControllerDirectory(url()).get('users')?.href ?? '', /users\.ts$/)
  })

  it('follows links, but not round in a circle', async () => {
    await file('real/users.ts')
    await symlink(join(directory, 'real'), join(directory, 'linked'))
    await symlink(directory, join(directory, 'real', 'loop'))
    await symlink(join(directory, 'nowhere'), join(directory, 'dangling.ts'))
    assert.deepEqual([...scanControllerDirectory(url()).keys()].sort(), ['linked/users', 'real/users'])
  })

  it('names the directory that is not there', () => {
    assert.throws(() => scanControllerDirectory(new URL('missing/', url())), /missing/)
  })
})

describe('controllerClassName', () => {
  for (const [name, expected] of [
    ['users', 'UsersController'],
    ['my_thing', 'MyThingController'],
    ['with-dash', 'WithDashController'],
    ['admin/panel', 'PanelController'],
    ['i18nc', 'I18ncController'],
  ] as const) {
    it(`makes ${expected} of ${name}`, () => {
      assert.equal(controllerClassName(name), expected)
    })
  }
})

async function kindOf(text: string, name = 'users'): Promise<string> {
  await file(`${name}.ts`, text)
  const registry = new ControllerRegistry(directory)
  registry.scan()
  const loaded = await registry.find(name)
  if (loaded === undefined) return 'none'
  return loaded.kind === 'class'
    ? `class ${loaded.controllerClass.name}`
    : `application ${loaded.application.name}`
}

const modules: [label: string, text: string, expected: string][] = [
  [
    'the class named after it',
    `export class UsersController ${CLASS}; export default class Other ${CLASS}`,
    'class UsersController',
  ],
  ['the default export', `export default class Other ${CLASS}`, 'class Other'],
  [
    'what __controller__ names',
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
    ['that exports nothing', 'export {}', /"users".*must export UsersController.*exports nothing/],
    ['that exports something else', 'export class User {}', /UsersController.*it exports User/],
    ['whose class has no __call__', 'export class UsersController {}', /extend WSGIController/],
    ['whose __controller__ names nothing', `export const __controller__ = 'Lost'`, /"Lost"/],
    ['whose __controller__ is no name', 'export const __controller__ = 1', /must name an export/],
    ['that does not parse', 'export class {', /"users" cannot be loaded.*users\.ts/s],
    ['that throws', `throw new Error('at load')`, /at load/],
    ['that exports a number', 'export default 42', /neither a controller class nor a WSGI callable/],
  ]
  for (const [label, text, message] of broken) {
    it(`${label} is refused by name`, async () => {
      await assert.rejects(
        kindOf(text),
        (error) => error instanceof ControllerLoadError && message.test(error.message),
      )
    })
  }
})

describe('ControllerRegistry', () => {
  it('finds what a scan found and nothing else', async () => {
    await file('users.ts')
    const registry = new ControllerRegistry(url())
    assert.deepEqual([...registry.scan()], ['users'])
    for (const name of ['constructor', '__proto__', 'toString', '../users', 'users.ts', '']) {
      assert.equal(registry.find(name), undefined)
    }
  })

  it('has a controller at once when it is loaded', async () => {
    await file('users.ts')
    const registry = new ControllerRegistry(url())
    registry.scan()
    const loaded = await registry.find('users')
    assert.equal(registry.find('users'), loaded)
  })

  it('keeps what is loaded through a scan', async () => {
    await file('users.ts')
    const registry = new ControllerRegistry(url())
    registry.scan()
    const loaded = await registry.find('users')
    registry.scan()
    assert.equal(registry.find('users'), loaded)
  })

  it('finds a new file after a scan, and no longer a removed one', async () => {
    await file('users.ts')
    const registry = new ControllerRegistry(url())
    registry.scan()
    await file('hello.ts')
    await rm(join(directory, 'users.ts'))
    assert.deepEqual([...registry.scan()], ['hello'])
    assert.equal(registry.find('users'), undefined)
  })

  it('tries a file that did not load again after a scan', async () => {
    await file('users.ts', 'export class {')
    const registry = new ControllerRegistry(url())
    registry.scan()
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
    it(`names the file that was probably meant, if there is one: ${specifier}`, async () => {
      await file('lib/base.ts')
      await file('lib/with blank.ts')
      await file('controllers/users.ts', `import '${specifier}'`)
      const registry = new ControllerRegistry(new URL('controllers/', url()))
      registry.scan()
      await assert.rejects(async () => registry.find('users'), hint)
    })
  }

  it('hints at a missing extension once in the stack of the cause', async () => {
    await file('lib/base.ts')
    await file('controllers/users.ts', "import '../lib/base'")
    const registry = new ControllerRegistry(new URL('controllers/', url()))
    registry.scan()
    await assert.rejects(
      async () => registry.find('users'),
      ({ cause }: Error) => cause instanceof Error && cause.stack?.split('did you mean').length === 2,
    )
  })

  it('loads others beside one that does not load', async () => {
    await file('broken.ts', 'export class {')
    await file('users.ts')
    const registry = new ControllerRegistry(url())
    registry.scan()
    await assert.rejects(
      registry.loadAll(),
      (error) => error instanceof AggregateError && error.errors.length === 1,
    )
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
    it(`takes ${label} from a record`, async () => {
      const registry = new ControllerRegistry({ users: source })
      registry.scan()
      assert.equal((await registry.find('users'))?.kind, kind)
    })
  }
})
