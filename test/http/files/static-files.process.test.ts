import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { staticFiles } from 'propylon/files'
import { createEnviron, run } from 'propylon/wsgi'
import { folderOf } from './folder.ts'

const NOT_ON_WINDOWS = { skip: process.platform === 'win32' }

/** Returns the statuses of names in a directory, in a process whose `process.platform` is that of another system. */
function statusesOf(directory: string, names: readonly string[], platform: string): string[] {
  const script = `Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} })
    const { staticFiles } = await import('propylon/files')
    const { createEnviron, run } = await import('propylon/wsgi')
    for (const name of ${JSON.stringify(names)}) {
      const environ = createEnviron({ url: '/' + name.split('/').map(encodeURIComponent).join('/') })
      console.log((await run(staticFiles(${JSON.stringify(directory)}), environ)).status.slice(0, 3))
    }`
  const node = ['--conditions=propylon-source', '--input-type=module', '--eval', script]
  return execFileSync(process.execPath, node, { encoding: 'utf8' }).trim().split('\n')
}

describe('a name that means something else on Windows', () => {
  const names = ['aux', 'aux.txt', 'NUL', 'com1.css', 'a:b', 'a.css::$DATA', 'dot.', 'blank ', 'what?.css']
  const odd = folderOf(Object.fromEntries(names.map((name) => [name, 'x'])))
  const statuses = (platform: string) => statusesOf(odd, [...names, 'auxiliary.txt'], platform)
  writeFileSync(join(odd, 'auxiliary.txt'), 'x')

  it('is 404 there', () => {
    const expected = [...names.map(() => '404'), '200']
    assert.deepEqual(statuses('win32'), expected)
  })

  it('is a name like any other elsewhere', NOT_ON_WINDOWS, () => {
    assert.deepEqual(new Set(statuses(process.platform)), new Set(['200']))
  })
})

describe('a name that differs from that of the file in case or normalization', () => {
  // Links stand for the names by which such a file system finds the file.
  const names = ['APP.css', 'CSS/page.css', 'css/Page.css', 'cafe\u0301.css', 'c\u017fs/page.css', 'STRASSE.css']
  const folding = folderOf({
    'app.css': 'x',
    'css/page.css': 'x',
    'caf\u00e9.css': 'x',
    'stra\u00dfe.css': 'x',
  })
  symlinkSync('app.css', join(folding, 'APP.css'))
  symlinkSync('css', join(folding, 'CSS'))
  symlinkSync('page.css', join(folding, 'css/Page.css'))
  symlinkSync('caf\u00e9.css', join(folding, 'cafe\u0301.css'))
  symlinkSync('css', join(folding, 'c\u017fs'))
  symlinkSync('stra\u00dfe.css', join(folding, 'STRASSE.css'))
  const statusesOn = (platform: string) =>
    statusesOf(folding, [...names, 'app.css', 'css/page.css', 'caf\u00e9.css'], platform)

  for (const platform of ['darwin', 'win32']) {
    it(`is 404 where file systems ignore the difference (${platform})`, NOT_ON_WINDOWS, () => {
      assert.deepEqual(statusesOn(platform), [...names.map(() => '404'), '200', '200', '200'])
    })
  }

  it('is a name of its own elsewhere', { skip: process.platform !== 'linux' }, () => {
    assert.deepEqual(new Set(statusesOn('linux')), new Set(['200']))
  })
})

describe('a path that leads to no regular file', () => {
  it('is 404 for a named pipe, without waiting for a writer', async () => {
    const site = folderOf({})
    execFileSync('mkfifo', [join(site, 'pipe')])
    const { status } = await run(staticFiles(site), createEnviron({ url: '/pipe' }))
    assert.equal(status, '404 Not Found')
  })
})
