/** Follows guides word for word, from an empty folder, with the packed package. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PAGES, type Page, pagesIn } from '../docs/blocks.ts'
import { writeBlock } from '../docs/layout.ts'
import { isAsExpected } from '../docs/output.ts'
import { type Command, commandsOf, runCommand } from '../docs/shell.ts'
import { freePort } from '../free-port.ts'
import { OUTSIDE, type Registry, registryOfPackages, settingsOf } from './registry.ts'

/** Commands that serve until they are stopped. */
const SERVES = /^(npm start|npm run dev|npx propylon serve)\b/

/** The address at which the guides serve. The tests use a free port instead. */
const ADDRESS = /127\.0\.0\.1:5000/g

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon-guides-')))
let registry: Registry

before(async () => {
  registry = await registryOfPackages(folder)
})

after(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const page of pagesIn(...PAGES).filter(({ isWalk }) => isWalk)) {
  describe(page.path, { timeout: 1_800_000 }, () => testWalk(page))
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
    ...settingsOf(registry, folder),
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
        else if (block.file !== undefined && block.kind !== 'fragment') writeBlock(cwd, block)
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
    setTimeout(() => reject(new Error(`${text} did not print ${output}, but:\n${actual}`)), 240_000).unref()
  })
}
