import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FrameworkApp, type Mapper, WSGIController } from 'propylon'
import { TestApp } from 'propylon/testing'
import { pageAt } from './docs/blocks.ts'

/** The code blocks by the file name in their first line. */
const blocks = new Map(pageAt('README.md').blocks.map(({ file, code }) => [file, code]))

// Inside of this package, so that the blocks can import it by name.
const folder = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), '.readme-'))
after(() => rmSync(folder, { recursive: true }))

function write(file: string, text: string): string {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

function block(file: string): string {
  const code = blocks.get(file)
  assert.ok(code !== undefined, `README.md has no block for ${file}`)
  return code
}

describe('README.md', () => {
  it('has an application that serves', async () => {
    const path = write('app.ts', block('app.ts').replace('port: 8080', 'port: 0'))
    const child = spawn(process.execPath, ['--conditions=propylon-source', path])
    try {
      const [url] = await once(createInterface({ input: child.stdout }), 'line')
      const response = await fetch(`${url}/hello/greet/joe`)
      assert.equal(await response.text(), '<h1>Hello, joe!</h1>')
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('has a controller and routes that fit together', async () => {
    const users = write('controllers/users.ts', block('controllers/users.ts'))
    const routing = write('config/routing.ts', block('config/routing.ts'))
    const { map }: { map: Mapper } = await import(pathToFileURL(routing).href)
    class LoginController extends WSGIController {
      index() {
        this.session.set('user', 'joe')
        return ''
      }
    }
    const client = new TestApp(
      new FrameworkApp({
        map: map.connect('login', '/login', { controller: 'login', action: 'index' }),
        controllers: { users: () => import(pathToFileURL(users).href), login: LoginController },
        session: { secret: 'a secret of more than thirty-two characters' },
      }),
    )
    assert.equal((await client.get('/users.json')).status, 403)
    await client.get('/login')
    assert.deepEqual((await client.get('/users.json')).json(), [{ name: 'joe', fullName: 'Joe Doe' }])
    assert.equal((await client.get('/users/ann')).status, 404)
  })
})
