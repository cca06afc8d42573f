import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { FrameworkApp, Mapper } from 'propylon'
import { serve } from 'propylon/node'

const framework = import.meta.resolve('propylon')

let directory: string
let app: FrameworkApp
let errors: string[]

function controller(name: string, text: string): Promise<void> {
  const source = `import { WSGIController } from '${framework}'
export default class extends WSGIController { index() { return '${text}' } }`
  return writeFile(join(directory, `${name}.ts`), source)
}

async function get(path: string): Promise<string> {
  const response = await app.fetch(new Request(`http://localhost${path}`))
  return response.status === 200 ? await response.text() : String(response.status)
}

beforeEach(async () => {
  errors = []
  directory = await mkdtemp(join(tmpdir(), 'propylon growing é '))
  await controller('hello', 'hello')
  app = new FrameworkApp({
    map: new Mapper().connect('/{controller}', { action: 'index' }),
    controllers: directory,
    logger: { info() {}, warn() {}, error: (message) => void errors.push(message) },
  })
})

afterEach(() => rm(directory, { recursive: true }))

describe('a controller added while the application runs', () => {
  it('is not found before a scan', async () => {
    assert.equal(await get('/hello'), 'hello')
    await controller('added', 'added')
    assert.equal(await get('/added'), '404')
  })

  it('is found on the next request once _created_regs is false', async () => {
    await get('/hello')
    await controller('added', 'added')
    app.mapper._created_regs = false
    assert.equal(await get('/added'), 'added')
    assert.equal(app.mapper._created_regs, true)
  })

  it('is found in a directory of its own', async () => {
    await get('/hello')
    const { mkdir } = await import('node:fs/promises')
    await mkdir(join(directory, 'admin'))
    await controller('admin/panel', 'panel')
    app.mapper._created_regs = false
    assert.equal(await get('/admin/panel'), 'panel')
  })

  it('keeps the known ones and logs the error while the directory is missing', async () => {
    await get('/hello')
    await rename(directory, `${directory} aside`)
    app.mapper._created_regs = false
    assert.equal(await get('/hello'), 'hello')
    assert.match(errors.join(), /cannot be scanned.*\n.*ENOENT/)
    await rename(`${directory} aside`, directory)
    await controller('added', 'added')
    app.mapper._created_regs = false
    assert.equal(await get('/added'), 'added')
  })

  it('fails no request that is served during the scan', async () => {
    await controller('added', 'added')
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        app.mapper._created_regs = false
        return get(index % 2 === 0 ? '/hello' : '/added')
      }),
    )
    assert.deepEqual(new Set(answers), new Set(['hello', 'added']))
  })

  it('is not found after a scan once its file is removed', async () => {
    await get('/hello')
    await rm(join(directory, 'hello.ts'))
    app.mapper._created_regs = false
    assert.equal(await get('/hello'), '404')
  })

  it('that does not load affects no other, and is served once corrected', async () => {
    await writeFile(join(directory, 'broken.ts'), 'export default class {')
    app.mapper._created_regs = false
    assert.equal(await get('/broken'), '500')
    assert.equal(await get('/hello'), 'hello')
    await controller('broken', 'corrected')
    app.mapper._created_regs = false
    assert.equal(await get('/broken'), 'corrected')
  })

  it('that did not load is tried again after a delay that doubles', async (t) => {
    let now = performance.now()
    t.mock.method(performance, 'now', () => now)
    // The clock is set back.
    t.mock.timers.enable({ apis: ['Date'], now: 1 })
    const source = `globalThis.propylonLoads = (globalThis.propylonLoads ?? 0) + 1; throw new Error('no')`
    await writeFile(join(directory, 'hindered.ts'), source)
    app.mapper._created_regs = false
    const loads = async (milliseconds: number) => {
      now += milliseconds
      assert.equal(await get('/hindered'), '500')
      return Reflect.get(globalThis, 'propylonLoads')
    }
    assert.equal(await loads(0), 1)
    assert.equal(await loads(999), 1)
    assert.equal(await loads(1), 2)
    assert.equal(await loads(1999), 2)
    assert.equal(await loads(1), 3)
    await controller('hindered', 'free')
    assert.equal(await loads(3999), 3)
    now += 1
    assert.equal(await get('/hindered'), 'free')
  })

  it('is found after SIGHUP to a process that serves', async () => {
    const server = await serve(app, { port: 0 })
    try {
      await get('/hello')
      await controller('added', 'added')
      process.emit('SIGHUP', 'SIGHUP')
      assert.equal(await get('/added'), 'added')
    } finally {
      await server.close()
    }
  })
})
