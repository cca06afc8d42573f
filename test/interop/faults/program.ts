/** Starts `app.ts` as a process. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ServeOptions } from '../../../src/wsgi/node/index.ts'
import type { Inventory } from './inventory.ts'

const PROGRAM = fileURLToPath(new URL('./app.ts', import.meta.url))

export interface ProgramOptions {
  readonly options?: ServeOptions
  /** A command of the shell to run before, such as `ulimit -n 40`. */
  readonly shell?: string
  /** Arguments of node. */
  readonly flags?: readonly string[]
}

/** The application of `app.ts`, in a process. */
export class Program {
  readonly process: ChildProcess
  readonly directory: string
  readonly exited: Promise<unknown[]>
  errors = ''
  url = ''

  private constructor(directory: string, { options = {}, shell = ':', flags = [] }: ProgramOptions) {
    this.directory = directory
    const command = [process.execPath, ...flags, '--conditions=propylon-source', PROGRAM, directory]
    this.process = spawn('sh', ['-c', `${shell}; exec "$@"`, 'sh', ...command], {
      env: { ...process.env, FAULTS_OPTIONS: JSON.stringify(options) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.exited = once(this.process, 'exit')
    this.process.stderr?.on('data', (chunk) => {
      this.errors += String(chunk)
    })
  }

  static async start(options: ProgramOptions = {}): Promise<Program> {
    const program = new Program(await mkdtemp(join(tmpdir(), 'faults-')), options)
    assert.ok(program.process.stdout)
    const output = createInterface({ input: program.process.stdout })
    const [line] = await Promise.race([
      once(output, 'line'),
      program.exited.then(() => assert.fail(`The program did not start: ${program.errors}`)),
    ])
    program.url = String(line)
    return program
  }

  /** Returns what the process holds. */
  async inventory(): Promise<Inventory> {
    const response = await fetch(`${this.url}/inventory`, { headers: { connection: 'close' } })
    const counted: Inventory = JSON.parse(await response.text())
    return counted
  }

  async stop(): Promise<void> {
    this.process.kill('SIGTERM')
    await this.exited
    await rm(this.directory, { recursive: true, force: true })
  }
}
