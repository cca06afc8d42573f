import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
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
      assert.deepEqual(await response.json(), { greeting: 'Hello, joe!' })
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('names the commands of a checkout in one block near the top, and CI runs the one for tests', () => {
    const { blocks, text } = pageAt('README.md')
    const commands = blocks[0]?.code
      .trim()
      .split('\n')
      .map((line) => line.replace(/ *#.*/, ''))
    assert.deepEqual(commands, ['npm install && npm start', 'npm install && npm test'])
    assert.ok(text.slice(0, text.indexOf('```')).split('\n').length <= 15)
    const ci = readFileSync(new URL('../.ci/run', import.meta.url), 'utf8')
    assert.match(ci, /^time \{ npm install && npm test; \}$/m)
  })

  it('is short', () => {
    const { text } = pageAt('README.md')
    assert.ok(text.split(/\s+/).length < 1000)
    assert.ok(block('app.ts').split('\n').length <= 14)
  })

  it('compares all servers by the figures of the benchmarks', () => {
    const { text } = pageAt('README.md')
    const [row = ''] = /^\| CPU: hello · form \|.*$/m.exec(text) ?? []
    const benchmarks = pageAt('docs/reference/benchmarks.md').text
    const figures = [...row.matchAll(/([\d.]+) · ([\d.]+)/g)]
    assert.equal(figures.length, 6)
    for (const [, hello, form] of figures) {
      assert.match(benchmarks, new RegExp(`^\\| [^|]+ \\| ${hello} \\|.* ${form} \\|`, 'm'))
    }
  })
})
