import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** An example that runs. */
export interface Program extends AsyncDisposable {
  /** The URL that it has printed. */
  readonly url: string
}

/** Starts an example at any free port. The error of one that ends contains its stderr. */
export async function start(name: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const child = spawn(process.execPath, ['--conditions=propylon-source', `examples/${name}.ts`], {
    cwd: ROOT,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = text(child.stderr)
  const { value: line, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (done) throw new Error(await errors)
  return { url: line, [Symbol.asyncDispose]: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })
}
