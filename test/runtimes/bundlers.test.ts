/** Applications bundled and minified by esbuild, Bun, Rollup with Terser, and Vite, from the built package. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MODULES } from '../packages/packages.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'docs/reference/bundling.md'), 'utf8')

/** A project that has the bundlers and this package installed. */
const directory = mkdtempSync(join(tmpdir(), 'propylon-bundlers-'))
after(() => rmSync(directory, { recursive: true }))

before(() => {
  write('package.json', '{ "type": "module", "private": true }')
  mkdirSync(join(directory, 'node_modules'))
  symlinkSync(root, join(directory, 'node_modules/propylon'))
  for (const name of readdirSync(MODULES)) symlinkSync(join(MODULES, name), join(directory, 'node_modules', name))
})

function write(file: string, text: string): void {
  const path = join(directory, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const builds = new Map<string, Promise<unknown>>()

/** Runs a command that begins with `npx`, once, and without npm, which takes longer than most bundlers. */
async function build(command: string): Promise<void> {
  const [, program = '', ...words] = command.split(' ')
  const path = join(directory, 'node_modules/.bin', program)
  const built = builds.get(command) ?? run(path, words, { cwd: directory, maxBuffer: 2 ** 26 })
  builds.set(command, built)
  await built.catch((error) => {
    throw new Error(`${command}: ${error.message}\n${error.stdout}\n${error.stderr}`)
  })
}

/** Starts a bundle that serves, and returns its first line. */
async function start(file: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(directory, file)], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} exited with ${code}`)))
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), exited])
  return { url: String(url), child }
}

describe('docs/reference/bundling.md', () => {
  before(() => {
    for (const [, file = '', code = ''] of page.matchAll(/^```[jt]s(?: fragment)?\n\/\/ (\S+)\n(.*?)^```$/gms))
      write(file, code)
  })

  const commands = [...page.matchAll(/^```sh fragment\n(.*?)\n```$/gms)].map(([, command = '']) => command)
  const bundles: [bundler: string, file: string][] = [
    ['esbuild', 'dist/esbuild.js'],
    ['bun', 'dist/bun.js'],
    ['rollup', 'dist/rollup.js'],
    ['vite', 'dist/vite/site.js'],
  ]
  assert.equal(commands.length, bundles.length)

  for (const [index, [bundler, file]] of bundles.entries()) {
    it(`has an application that ${bundler} bundles`, async () => {
      const command = commands[index] ?? ''
      assert.ok(command.startsWith(`npx ${bundler} `), command)
      await build(command)
      const { url, child } = await start(file)
      try {
        const paths = ['/hello/greet/joe', '/hello/greet', '/users/show/7', '/users/list?page=3', '/users/list?page=x']
        const responses = await Promise.all(paths.map((path) => fetch(url + path)))
        const texts = await Promise.all(responses.map((response) => response.text()))
        assert.deepEqual(
          responses.map(({ status }) => status),
          [200, 200, 200, 200, 400],
        )
        assert.deepEqual(texts.slice(0, 4), ['Hello, joe!', 'Hello, world!', '<h1>User 7</h1>', 'Page 3'])
      } finally {
        child.kill('SIGKILL')
      }
    })
  }
})

/** The controller of the README, and one that compilers for ES2015 rewrite. Prints the responses to the paths it is given. */
const PROGRAM = `
import { FrameworkApp, Mapper, WSGIController } from 'propylon'

class HelloController extends WSGIController {
  greet(id = 'world') {
    return \`Hello, \${id}!\`
  }
  async later(id: string, format = [id, 'html'].at(1)) {
    await null
    return [id, format]
  }
  async destructured({ id, format = 'html' }: { id: string; format?: string }) {
    return [id, format]
  }
}

async function main() {
  const app = new FrameworkApp({
    map: new Mapper().connect('/{controller}/{action}').connect('/{controller}/{action}/{id}'),
    controllers: process.argv.includes('directory') ? new URL('./controllers/', import.meta.url) : { hello: HelloController },
  })
  for (const action of ['greet', 'later', 'destructured']) {
    const response = await app.fetch(new Request(\`http://localhost/hello/\${action}/joe\`))
    console.log(response.status, await response.text())
  }
}

void main()
`

/** Writes two bundles, with renamed and with kept names. */
const ROLLUP = `
import { stripTypeScriptTypes } from 'node:module'
import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
const typescript = { name: 'typescript', transform: (code, id) => (id.endsWith('.ts') ? stripTypeScriptTypes(code) : null) }
const output = (mangle) => ({ file: 'out/rollup-' + mangle + '.js', format: 'es', inlineDynamicImports: true, plugins: [terser({ mangle })] })
export default { input: 'program.ts', output: [output(true), output(false)],
  onwarn() {}, plugins: [nodeResolve({ exportConditions: ['node'] }), commonjs(), typescript] }
`

const VITE = (mangle: boolean) => `
export default { build: { ssr: 'program.ts', outDir: 'out/vite-${mangle}', minify: true,
  rolldownOptions: { output: { minify: { compress: true, mangle: ${mangle} } } } }, ssr: { noExternal: true } }
`

const ESBUILD = 'npx esbuild program.ts --bundle --platform=node --format=esm --log-level=error'
const BUN = 'npx bun build program.ts --target=node'
const ROLLUP_COMMAND = 'npx rollup --config rollup-both.js'
const KEPT = '--minify-syntax --minify-whitespace'

const renaming: [title: string, command: string, file: string][] = [
  ['esbuild', `${ESBUILD} --minify --outfile=out/esbuild.js`, 'out/esbuild.js'],
  ['esbuild for ES2015', `${ESBUILD} --minify --target=es2015 --outfile=out/es2015.js`, 'out/es2015.js'],
  ['Bun', `${BUN} --minify --outfile=out/bun.js`, 'out/bun.js'],
  ['Rollup and Terser', ROLLUP_COMMAND, 'out/rollup-true.js'],
  ['Vite', 'npx vite build --config vite-true.js', 'out/vite-true/program.js'],
]

const keeping: [title: string, command: string, file: string][] = [
  ['esbuild', `${ESBUILD} ${KEPT} --outfile=out/esbuild-kept.js`, 'out/esbuild-kept.js'],
  ['esbuild for ES2015', `${ESBUILD} ${KEPT} --target=es2015 --outfile=out/es2015-kept.js`, 'out/es2015-kept.js'],
  ['Bun', `${BUN} ${KEPT} --outfile=out/bun-kept.js`, 'out/bun-kept.js'],
  ['Rollup and Terser', ROLLUP_COMMAND, 'out/rollup-false.js'],
  ['Vite', 'npx vite build --config vite-false.js', 'out/vite-false/program.js'],
]

describe('a bundle', () => {
  before(() => {
    write('program.ts', PROGRAM)
    write('rollup-both.js', ROLLUP)
    for (const mangle of [true, false]) write(`vite-${mangle}.js`, VITE(mangle))
  })

  for (const [bundler, command, file] of renaming) {
    it(`with renamed parameters never answers from wrong arguments: ${bundler}`, async () => {
      await build(command)
      const { stdout, stderr } = await run(process.execPath, [join(directory, file)])
      const answers = stdout.split('\n').filter((line) => /^\d{3} /.test(line))
      assert.deepEqual(answers, [
        '500 500 Internal Server Error',
        '500 500 Internal Server Error',
        '200 ["joe","html"]',
      ])
      for (const action of ['greet', 'later']) {
        const message = `\\.${action} of the controller "hello": its parameters \\(.*\\) look renamed by a build`
        assert.match(stderr, new RegExp(`ParameterNamesError: \\S+${message}`))
        assert.match(stderr, new RegExp(`static args = \\{ ${action}: `))
      }
    })
  }

  for (const [bundler, command, file] of keeping) {
    it(`with the names of parameters answers as the sources do: ${bundler}`, async () => {
      await build(command)
      const { stdout } = await run(process.execPath, [join(directory, file)])
      assert.deepEqual(stdout.trim().split('\n'), ['200 Hello, joe!', '200 ["joe","html"]', '200 ["joe","html"]'])
    })
  }

  it('names the tag of a syntax error in a template, though it does not contain a parser', async () => {
    const page = JSON.stringify('1\n<% for (const a of [1]) { %>\n<%= a %>\n<% const = 1 %>\n<% } %>')
    write(
      'template.ts',
      `import { templateEngine } from 'propylon'
      try { templateEngine({ page: ${page} }).render('page') } catch ({ message }) { console.log(message) }`,
    )
    const alone = join(mkdtempSync(join(tmpdir(), 'propylon-bundle-')), 'template.mjs')
    after(() => rmSync(dirname(alone), { recursive: true }))
    await build(`${ESBUILD.replace('program', 'template')} --minify --outfile=${alone}`)
    const { stdout } = await run(process.execPath, [alone])
    assert.match(stdout, /^page:4:4: Unexpected token '='$/m)
  })

  it('that is given a directory fails with an error that names the record', async () => {
    await build(`${ESBUILD} --minify --outfile=out/directory.js`)
    await assert.rejects(
      run(process.execPath, [join(directory, 'out/directory.js'), 'directory']),
      /There is no directory of controllers at .*\/out\/controllers\/ \(ENOENT\)\..*pass a record instead/,
    )
  })
})
