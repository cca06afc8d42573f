/** A process of Python that answers lines of JSON. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Calls a function of a Python program, one call after the other. */
export class Python {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  /** @param program - defines `answer(value)`, whose result is JSON. */
  constructor(program: string) {
    const loop = `
import json, sys
${program}
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
`
    this.#child = spawn('python3', ['-c', loop])
    this.#child.stderr.pipe(process.stderr)
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()
  }

  /** Returns the answer to a value. */
  async ask<T>(value: unknown): Promise<T> {
    this.#child.stdin.write(`${JSON.stringify(value)}\n`)
    const { done, value: line } = await this.#lines.next()
    if (done === true) throw new Error('The Python program has ended.')
    return JSON.parse(line)
  }

  async close(): Promise<void> {
    this.#child.stdin.end()
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
  }
}
