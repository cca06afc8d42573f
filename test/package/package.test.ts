import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** The environment of a fresh shell: without the variables of a package manager and the programs of this checkout. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^INIT_CWD$/.test(name)),
)
ENVIRONMENT.PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !/node_modules/.test(folder))
  .join(delimiter)

/**
 * The README's tour, as a new user takes it: from a packed package in an empty folder to a changed controller that answers. The
 * tests follow each other.
 */
describe('the package, packed and installed', { timeout: 1_800_000 }, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon tour ö ')))
  const site = join(folder, 'my site')
  let server: ChildProcess | undefined
  after(() => {
    server?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  async function inFolder(cwd: string, program: string, ...words: string[]): Promise<string> {
    const { stdout, stderr } = await run(program, words, { cwd, env: ENVIRONMENT, maxBuffer: 2 ** 26 }).catch(
      (error) => {
        throw new Error(`${program} ${words.join(' ')}: ${error.message}\n${error.stdout}\n${error.stderr}`)
      },
    )
    // The packages have no install scripts but that of node.
    assert.doesNotMatch(stderr, /\bpropylon@\S+ \((?:install|prepare|postinstall)/)
    return stdout
  }
  const propylon = (...words: string[]) => inFolder(site, join(site, 'node_modules/.bin/propylon'), ...words)

  test('holds what it needs and nothing else', async () => {
    const [described] = JSON.parse(
      await inFolder(PACKAGE, 'npm', 'pack', '--json', '--silent', '--pack-destination', folder),
    )
    const paths: string[] = described.files.map((file: { path: string }) => file.path)
    for (const path of [
      'dist/cli/main.js',
      'dist/entries/propylon.d.ts',
      'dist/entries/propylon.js',
      'docs/guides/sessions.md',
      'docs/guides/order.json',
      'src/http/languages/de.json',
      'src/tools/cli/templates/restcontroller.ts',
      'src/tools/cli/templates/project/_gitignore',
      'src/tools/cli/templates/project/_package.json',
      'src/tools/cli/templates/project/app.ts',
      'src/tools/cli/templates/project/public/style.css',
    ]) {
      assert.ok(paths.includes(path), path)
    }
    assert.deepEqual(
      paths.filter(
        (path) =>
          !/^(dist|docs|src\/tools\/cli\/templates|src\/http\/languages\/\w\w\.json)(\/|$)|^examples\/[\w-]+\.(ts|md)$|^((AGENTS|ARCHITECTURE|CHANGELOG|CONTRIBUTING|README|SECURITY)\.md|llms\.txt|LICENSE|package\.json)$/.test(
            path,
          ),
      ),
      [],
    )
    assert.deepEqual(
      paths.filter((path) => /\.map$|^docs\/site\/|^dist\/(?!(chunks|cli|entries|tools\/cli)\/)/.test(path)),
      [],
    )
  })

  test('installs in an empty folder and creates a project', async () => {
    const tarball = readdirSync(folder).find((name) => /^propylon-.*\.tgz$/.test(name))
    assert.ok(tarball)
    const manifest = await inFolder(folder, 'tar', '-xzOf', tarball, 'package/package.json')
    assert.equal('prepare' in JSON.parse(manifest).scripts, false)
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    await inFolder(empty, 'npm', 'install', '--no-audit', '--no-fund', join(folder, tarball))
    const command = join(empty, 'node_modules/.bin/propylon')
    await inFolder(empty, command, 'create', site, '--propylon', `file:${join(folder, tarball)}`)
    await inFolder(site, 'npm', 'install', '--no-audit', '--no-fund')
  })

  test('npm create propylon creates a project that passes its tests and types', async () => {
    await inFolder(join(PACKAGE, 'create-propylon'), 'npm', 'pack', '--silent', '--pack-destination', folder)
    const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    assert.equal(tarballs.length, 2)
    const starter = join(folder, 'starter')
    mkdirSync(starter)
    await inFolder(starter, 'npm', 'install', '--no-audit', '--no-fund', ...tarballs.map((name) => join(folder, name)))
    const own = tarballs.find((name) => !name.startsWith('create-')) ?? ''
    const options = ['--database', 'sqlite', '--login', '--propylon', `file:${join(folder, own)}`]
    const output = await inFolder(starter, 'npm', 'exec', '--', 'create-propylon', 'shop', ...options)
    assert.match(output, /Next:\n {2}cd shop\n {2}npm install\n/)
    const shop = join(starter, 'shop')
    await inFolder(shop, 'npm', 'install', '--no-audit', '--no-fund')
    await inFolder(shop, 'npm', 'run', 'typecheck')
    assert.match(await inFolder(shop, 'npm', 'test'), /fail 0/)
  })

  test('the template of reproductions passes', async () => {
    const reproduction = join(folder, 'reproduction')
    cpSync(join(PACKAGE, '.github/reproduction'), reproduction, { recursive: true })
    const tarball = readdirSync(folder).find((name) => /^propylon-.*\.tgz$/.test(name)) ?? ''
    await inFolder(reproduction, 'npm', 'install', '--no-audit', '--no-fund', join(folder, tarball))
    // The shell may have an older Node than the template needs.
    assert.match(await inFolder(reproduction, process.execPath, '--test', 'reproduction.test.ts'), /fail 0/)
  })

  test('generates controllers, whose printed lines are added', async () => {
    await propylon('controller', 'hello')
    await propylon('controller', 'admin/panel')
    const printed =
      (await propylon('restcontroller', 'comment', 'comments')) +
      (await propylon('restcontroller', 'admin/trackback', 'admin/trackbacks'))
    const lines = printed.split('\n').filter((line) => line.startsWith('map.resource('))
    assert.equal(lines.length, 2)
    const routing = join(site, 'config/routing.ts')
    const text = readFileSync(routing, 'utf8')
    writeFileSync(routing, text.replace(/^.*New routes go.*$/m, `${lines.join('\n')}\n$&`))
  })

  test('the project passes its tests and types with them', async () => {
    await inFolder(site, 'npm', 'run', 'typecheck')
    const output = await inFolder(site, 'npm', 'test')
    assert.match(output, /fail 0/)
  })

  test('lists the routes and answers in the shell', async () => {
    assert.match(await propylon('routes', 'admin_trackbacks'), /\/admin\/trackbacks/)
    const shell = run(join(site, 'node_modules/.bin/propylon'), ['shell'], { cwd: site, env: ENVIRONMENT })
    shell.child.stdin?.end('(await testApp.get("/hello")).text\n')
    assert.equal((await shell).stdout, "'Hello World'\n")
  })

  test('serves, takes over a change under constant requests, and loses none', async () => {
    server = spawn('npm', ['run', 'dev', '--', '--port', '0'], {
      cwd: site,
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const url = await addressOf(server)
    const seen = new Set<string>()
    const controller = join(site, 'controllers/hello.ts')
    const text = readFileSync(controller, 'utf8')
    let isChanged = false
    while (!seen.has('Changed World')) {
      const response = await fetch(`${url}/hello`, { headers: { connection: 'close' } })
      assert.equal(response.status, 200)
      seen.add(await response.text())
      if (isChanged) continue
      writeFileSync(controller, text.replace('Hello World', 'Changed World'))
      isChanged = true
    }
    assert.deepEqual([...seen], ['Hello World', 'Changed World'])
    assert.ok(server.pid)
    process.kill(-server.pid, 'SIGTERM')
    await once(server, 'exit')
  })
})

async function addressOf(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += chunk
    const address = /http:\/\/[\d.]+:\d+/.exec(output)
    if (address === null) continue
    child.stdout?.resume()
    return address[0]
  }
  throw new Error(`ended without an address:\n${output}`)
}
