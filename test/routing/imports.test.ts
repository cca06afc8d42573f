import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

test('routing imports nothing but its own files and those of base', async () => {
  const folder = new URL('../../src/routing/', import.meta.url)
  for (const name of await readdir(folder)) {
    const source = await readFile(new URL(name, folder), 'utf8')
    for (const [, specifier = ''] of source.matchAll(
      /^(?:import|export) (?:type )?(?:\{[^}]*\}|\w+) from '([^']+)'/gm,
    )) {
      assert.match(specifier, /^\.\.?\/(?:base\/)?[a-z-]+\.ts$/, `${name} imports ${specifier}`)
    }
  }
})
