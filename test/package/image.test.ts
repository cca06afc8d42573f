/**
 * Follows the Dockerfile of a created project, which the guide In production shows, without Docker: each instruction is run in a folder that stands for the
 * image, with the packed package, and the last ones as a user without rights.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, matchesGlob, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../free-port.ts'
import { OUTSIDE, type Registry, registryOfPackages, settingsOf } from './registry.ts'

/** The user that stands for `node` of the image. Its uid is that of nobody. */
const USER = { uid: 65_534, gid: 65_534 }

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** Returns the instructions of a Dockerfile. */
function instructionsOf(file: string): Instruction[] {
  return file
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = ''] = line.split(' ', 1)
      return { name, rest: line.slice(name.length + 1) }
    })
}

/** Returns whether a .dockerignore leaves out a path or a folder above it. The last pattern that matches decides. */
function isIgnored(patterns: readonly string[], path: string): boolean {
  return patterns.reduce((ignored, pattern) => {
    const glob = pattern.replace(/^!/, '')
    const matches = path.split('/').some((_, i, parts) => matchesGlob(parts.slice(0, i + 1).join('/'), glob))
    return matches ? !pattern.startsWith('!') : ignored
  }, false)
}

describe('the image of a created project', { timeout: 1_800_000 }, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon-image-')))
  const project = join(folder, 'shop')
  const image = join(folder, 'image')
  let registry: Registry
  let dockerfile: string
  let instructions: Instruction[]
  let port: number
  let server: ChildProcess | undefined

  /** Variables of the instructions ENV, over those of the base image. */
  const environment = (): NodeJS.ProcessEnv => ({
    ...OUTSIDE,
    // A certificate of this network, which npm needs.
    NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
    PATH: [dirname(process.execPath), OUTSIDE.PATH].join(delimiter),
    ...settingsOf(registry, folder),
    ...Object.fromEntries(
      instructions
        .filter(({ name }) => name === 'ENV')
        .flatMap(({ rest }) => rest.split(' ').map((pair) => pair.split('=', 2))),
    ),
    PORT: String(port),
    SECRET: 'a secret of more than thirty-two characters',
  })

  // Not synchronous, because this process serves the packages.
  async function succeed(cwd: string, command: string, env: NodeJS.ProcessEnv): Promise<void> {
    const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [[status], output, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
    assert.equal(status, 0, `${command}\n${output}${errors}`)
  }

  const wordsOf = (name: string): string[] => {
    const rest = instructions.find((instruction) => instruction.name === name)?.rest ?? ''
    return JSON.parse(rest.slice(rest.indexOf('[')))
  }

  const isHealthy = (): boolean => {
    const [program = '', ...words] = wordsOf('HEALTHCHECK')
    return spawnSync(program, words, { cwd: image, env: environment(), ...USER }).status === 0
  }

  before(async () => {
    chmodSync(folder, 0o755)
    registry = await registryOfPackages(folder)
    port = await freePort()
    const outside = { ...OUTSIDE, ...settingsOf(registry, folder) }
    await succeed(folder, 'npm create propylon@latest shop -- --database sqlite', outside)
    // The image needs the lock file only.
    await succeed(project, 'npm install --package-lock-only', outside)
    writeFileSync(join(project, 'debug.log'), 'a log')
    for (const name of ['.git', '.propylon', 'var']) {
      mkdirSync(join(project, name))
      writeFileSync(join(project, name, 'file'), 'not for the image')
    }
    dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8')
    instructions = instructionsOf(dockerfile)
  })

  after(() => {
    server?.kill('SIGKILL')
    registry?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('has a pinned version of Node, and commands that no shell runs', () => {
    const names = instructions.map(({ name }) => name)
    assert.equal(names.filter((name) => name === 'FROM').length, 1)
    const [major] = process.versions.node.split('.')
    assert.equal(instructions[0]?.rest, `node:${major}-slim`)
    assert.ok(!names.includes('ADD'))
    assert.ok(names.indexOf('USER') > names.lastIndexOf('RUN'))
    assert.equal(instructions.find(({ name }) => name === 'USER')?.rest, 'node')
    assert.deepEqual(wordsOf('CMD').slice(0, 1), ['node'])
    assert.ok(dockerfile.indexOf('COPY package.json') < dockerfile.indexOf('COPY . .'))
  })

  it('is built by its instructions', async () => {
    const patterns = readFileSync(join(project, '.dockerignore'), 'utf8').trim().split('\n')
    mkdirSync(image)
    for (const { name, rest } of instructions) {
      if (name === 'COPY') {
        const [destination = '', ...sources] = rest.split(' ').reverse()
        assert.match(destination, /^\.\/?$/)
        for (const source of sources) {
          cpSync(join(project, source), join(image, source), {
            recursive: true,
            filter: (path) => path === project || !isIgnored(patterns, relative(project, path)),
          })
        }
      }
      // The base image has a user of this name.
      if (name === 'RUN') await succeed(image, rest.replaceAll('node:node', `${USER.uid}:${USER.gid}`), environment())
    }
    for (const path of [
      'app.ts',
      'node_modules/propylon',
      'node_modules/kysely',
      'migrations',
      '.env.example',
      'var',
    ]) {
      assert.ok(existsSync(join(image, path)), path)
    }
    for (const path of [
      'var/file',
      '.env',
      '.git',
      '.github',
      '.propylon',
      '.vscode',
      'tests',
      'debug.log',
      'Dockerfile',
      'node_modules/typescript',
      'node_modules/node',
    ]) {
      assert.ok(!existsSync(join(image, path)), path)
    }
  })

  it('runs as a user without rights, who may write to var/ only', () => {
    const touch = (path: string) =>
      spawnSync('touch', [join(image, path)], { env: environment(), ...USER }).status === 0
    assert.deepEqual(
      [touch('var/file'), touch('file'), touch('app.ts'), touch('node_modules/file')],
      [true, false, false, false],
    )
  })

  it('migrates, serves, is healthy, and ends on SIGTERM', async () => {
    const [program = '', ...words] = wordsOf('CMD')
    const migrate = spawnSync(program, [words[0] ?? '', 'migrate'], {
      cwd: image,
      env: environment(),
      encoding: 'utf8',
      ...USER,
    })
    assert.equal(migrate.status, 0, migrate.stderr)
    assert.equal(isHealthy(), false)
    server = spawn(program, words, {
      cwd: image,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
      ...USER,
    })
    assert.ok(server.stdout)
    await once(server.stdout, 'data')
    assert.equal(isHealthy(), true)
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200)
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null])
  })
})
