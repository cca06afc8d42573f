import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { pageAt } from './docs/blocks.ts'

// Inside of this package, so that the block can import it by name.
const folder = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), '.readme-'))
after(() => rmSync(folder, { recursive: true }))

const CLI = fileURLToPath(new URL('../src/tools/cli/main.ts', import.meta.url))

describe('README.md', () => {
  it('has an application that serves, and of which a client is made', async () => {
    const { code } = pageAt('README.md').blocks.find(({ file }) => file === 'app.ts') ?? assert.fail()
    const path = join(folder, 'app.ts')
    writeFileSync(path, code.replace('port: 8080', 'port: 0'))
    const child = spawn(process.execPath, ['--conditions=propylon-source', path])
    try {
      const [url] = await once(createInterface({ input: child.stdout }), 'line')
      const page = await fetch(`${url}/books/0`, { headers: { Accept: 'text/html' } })
      assert.equal(await page.text(), '<h1>Walden</h1>')
      assert.deepEqual(await (await fetch(`${url}/books/0.json`)).json(), { title: 'Walden' })
      assert.equal((await fetch(`${url}/books/1`)).status, 404)
      const out = join(folder, 'api.ts')
      const source = new URL('/openapi.json', url).href
      const command = ['--conditions=propylon-source', CLI, 'client', source, '--out', out]
      const [status] = await once(spawn(process.execPath, command), 'exit')
      assert.equal(status, 0)
      const { createClient } = await import(pathToFileURL(out).href)
      assert.deepEqual(await createClient({ baseUrl: url }).books.show({ id: 0 }), { title: 'Walden' })
    } finally {
      child.kill('SIGKILL')
    }
  })
})
