/** Follows guides word for word, from an empty folder, with the packed package. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PAGES, type Page, pagesIn, ROOT } from '../docs/blocks.ts'
import { write } from '../docs/layout.ts'
import { isAsExpected } from '../docs/output.ts'
import { type Command, commandsOf, runCommand } from '../docs/shell.ts'
import { type Packed, type Registry, serveRegistry } from './registry.ts'

/** The environment of a shell outside of this checkout. */
const OUTSIDE = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^INIT_CWD$|^(HOST|PORT|SECRET)$/.test(name)),
)
OUTSIDE.PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !/node_modules/.test(folder))
  .join(delimiter)

/** Commands that serve until they are stopped. */
const SERVES = /^(npm start|npm run dev|npx propylon serve)\b/

/** The address at which the guides serve. The tests use a free port instead. */
const ADDRESS = /127\.0\.0\.1:5000/g

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon-guides-')))
let registry: Registry

before(async () => {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], {
    env: OUTSIDE,
    cwd: folder,
    encoding: 'utf8',
  })
  const packages = [ROOT, join(ROOT, 'create-propylon')].map((path) => pack(path))
  registry = await serveRegistry(packages, upstream.trim())
})

after(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const page of pagesIn(...PAGES).filter(({ isWalk }) => isWalk)) {
  describe(page.path, { timeout: 600_000 }, () => testWalk(page))
}

function pack(path: string): Packed {
  const destination = join(folder, 'packed')
  mkdirSync(destination, { recursive: true })
  const options = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', destination]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', options, { cwd: path, env: OUTSIDE, encoding: 'utf8' }),
  )
  return {
    manifest: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')),
    tarball: join(destination, filename),
  }
}

/** Writes the files and runs the commands of a page in its order. `cd` holds for all later blocks. */
function testWalk(page: Page): void {
  let cwd = join(folder, page.path.replaceAll(/\W/g, '-'))
  let port = 0
  let server: ChildProcess | undefined
  const stop = () => {
    if (server?.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGKILL')
  }
  before(async () => {
    mkdirSync(cwd)
    port = await freePort()
  })
  after(stop)
  const here = (text: string) => text.replaceAll(ADDRESS, `127.0.0.1:${port}`)
  const environment = () => ({
    ...OUTSIDE,
    NO_COLOR: '1',
    PORT: String(port),
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
    npm_config_yes: 'true', // Answers npm's question whether it may install create-propylon.
  })

  const follow = async (command: Command) => {
    const place = { cwd, env: environment() }
    const to = /^cd (\S+)$/.exec(command.text)?.[1]
    if (to !== undefined) {
      cwd = join(cwd, to)
      assert.ok(existsSync(cwd), cwd)
    } else if (SERVES.test(command.text)) {
      stop()
      server = spawn('bash', ['-c', command.text], {
        ...place,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      await printed(server, { ...command, output: here(command.output) })
    } else {
      await runCommand({ ...command, text: here(command.text), output: here(command.output) }, place)
    }
  }

  it('can be followed word for word', async () => {
    for (const block of page.blocks) {
      try {
        if (block.kind === 'shell') for (const command of commandsOf(block.code)) await follow(command)
        else if (block.file !== undefined && block.kind !== 'fragment') write(cwd, block.file, block.code)
      } catch (error) {
        throw new Error(`${page.path}, block in line ${block.line}: ${String(error)}`, { cause: error })
      }
    }
  })
}

/** Waits until a server has printed what a page shows. */
async function printed(server: ChildProcess, { text, output }: Command): Promise<void> {
  let actual = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        actual += chunk
        if (isAsExpected(actual, output)) resolve()
      })
    }
    server.on('exit', (code) => reject(new Error(`${text} ended with ${code}:\n${actual}`)))
    setTimeout(() => reject(new Error(`${text} did not print ${output}, but:\n${actual}`)), 60_000).unref()
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}
