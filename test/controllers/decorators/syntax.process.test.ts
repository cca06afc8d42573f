import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { WSGIController } from 'propylon'
import { appWith } from './sending.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const out = mkdtempSync(join(tmpdir(), 'propylon-decorators-'))
after(() => rmSync(out, { recursive: true }))

/** Compiles decorator syntax to the JavaScript of today, and loads it. */
async function compiled(): Promise<new () => WSGIController> {
  const settings = '--ignoreConfig --noCheck --noResolve --target es2024 --module esnext'.split(' ')
  const file = join(root, 'test/controllers/decorators/syntax.ts')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  spawnSync(process.execPath, [tsc, ...settings, '--rootDir', root, '--outDir', out, file], {})
  const script = join(out, 'test/controllers/decorators/syntax.js')
  const text = readFileSync(script, 'utf8')
  assert.match(text, /__esDecorate/)
  // Outside the package its name means nothing, so what is imported is named by its place.
  const placed = text.replaceAll(/ from '([^']+)'/g, (_, name) => ` from '${import.meta.resolve(name)}'`)
  writeFileSync(join(out, 'syntax.mjs'), placed)
  return (await import(pathToFileURL(join(out, 'syntax.mjs')).href)).SyntaxController
}

const { send } = appWith(await compiled())

describe('decorator syntax', () => {
  const rows: [method: string, path: string, form: string | undefined, status: string, text: string | RegExp][] = [
    ['GET', '/index/joe', undefined, '200 OK', '{"id":"joe"}'],
    ['GET', '/index', undefined, '200 OK', '{"id":"nobody"}'],
    ['POST', '/index', undefined, '405 Method Not Allowed', /405/],
    ['POST', '/greet/joe', 'name=Hello', '200 OK', 'Hello joe'],
    ['POST', '/greet/joe', '', '400 Bad Request', /name: Invalid key: Expected "name" but received undefined/],
    ['GET', '/edit/a', undefined, '200 OK', 'edit a'],
    ['POST', '/edit/a', undefined, '200 OK', 'save a'],
    ['GET', '/secure', undefined, '302 Found', /https/],
  ]
  for (const [method, path, form, status, text] of rows) {
    it(`${method} ${path}${form === undefined ? '' : ` with the form "${form}"`} is ${status}`, async () => {
      const received = await send(path, form === undefined ? { method } : { method, form })
      assert.equal(received.status, status)
      if (typeof text === 'string') assert.equal(received.text, text)
      else assert.match(received.text, text)
    })
  }
})
