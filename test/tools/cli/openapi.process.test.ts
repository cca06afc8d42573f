import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { project, routing } from '../check/project.ts'
import { propylon } from './command-process.ts'

const PAGES = `import { WSGIController } from 'propylon'

export class PagesController extends WSGIController {
  static results = { index: null }
  index() {}
}
`

const application = (options: string) => `import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export default new FrameworkApp({ map, controllers: new URL('./controllers/', import.meta.url)${options} })
`

const ROUTING = routing("connect('/pages', { controller: 'pages' })")

describe('openapi', () => {
  let cwd: string
  before(() => {
    cwd = project({
      'app.ts': application(", openapi: { title: 'Pages', version: '1.0.0' }"),
      'config/routing.ts': ROUTING,
      'controllers/pages.ts': PAGES,
    })
  })

  test('prints the document', async () => {
    const { status, stdout, stderr } = await propylon(['openapi'], { cwd })
    assert.deepEqual([status, stderr], [0, ''])
    const { info, paths, servers } = JSON.parse(stdout)
    assert.deepEqual([info.title, Object.keys(paths), servers], ['Pages', ['/pages'], [{ url: '/' }]])
  })

  test('writes and checks a file, whatever its layout', async () => {
    const written = await propylon(['openapi', '--out', 'api.json'], { cwd })
    assert.deepEqual(written, { status: 0, stdout: '', stderr: '' })
    const file = join(cwd, 'api.json')
    const text = readFileSync(file, 'utf8')
    assert.match(text, /^\{\n {2}"openapi": "3\.1\.1"/)
    writeFileSync(file, JSON.stringify(JSON.parse(text)))
    const same = await propylon(['openapi', '--check', 'api.json'], { cwd })
    assert.deepEqual([same.status, same.stdout], [0, 'api.json is up to date.\n'])
    writeFileSync(file, text.replace('1.0.0', '2.0.0'))
    const other = await propylon(['openapi', '--check', 'api.json'], { cwd })
    assert.equal(other.status, 1)
    assert.equal(
      other.stderr,
      'api.json differs from the application. Write it with: propylon openapi --out api.json\n',
    )
    const missing = await propylon(['openapi', '--check', 'none.json'], { cwd })
    assert.equal(missing.status, 1)
    assert.match(missing.stderr, /^none\.json does not exist or is not JSON\. /)
  })

  test('says in one line why a file cannot be written', async () => {
    const unwritten = await propylon(['openapi', '--out', 'controllers'], { cwd })
    assert.match(unwritten.stderr, /controllers' cannot be written: EISDIR[^\n\\]*; name another file\n$/)
  })

  test('refuses two options at once', async () => {
    const { status, stderr } = await propylon(['openapi', '--out', 'a', '--check', 'b'], { cwd })
    assert.deepEqual([status, stderr], [2, 'propylon: --out and --check exclude each other; give one of them\n'])
  })

  test('needs the option of the application', async () => {
    const without = project({
      'app.ts': application(''),
      'config/routing.ts': ROUTING,
      'controllers/pages.ts': PAGES,
    })
    const { status, stdout, stderr } = await propylon(['openapi'], { cwd: without })
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /the application has no OpenAPI document; enable it: new FrameworkApp/)
  })

  test('shows the error of a controller that does not load', async () => {
    const broken = project({
      'app.ts': application(", openapi: { title: 'Pages', version: '1.0.0' }"),
      'config/routing.ts': ROUTING,
      'controllers/pages.ts': "throw new Error('no database')\n",
    })
    const { status, stderr } = await propylon(['openapi'], { cwd: broken })
    assert.equal(status, 1)
    assert.match(stderr, /Controller "pages" cannot be loaded: no database/)
  })
})
