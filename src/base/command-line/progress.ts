import { printable } from '../printable.ts'
import type { Terminal } from './terminal.ts'

/** Moves the cursor to the beginning of the line and clears the line. */
const CLEAR = '\r\x1b[K'

/** A line about work that takes long, on stderr. Only a terminal shows it, and it disappears when the work ends. */
export class Progress implements Disposable {
  readonly #stream: Terminal['stderr']

  constructor({ stderr }: Terminal, text: string) {
    this.#stream = stderr
    if (stderr.isTTY === true) stderr.write(printable(text))
  }

  [Symbol.dispose](): void {
    if (this.#stream.isTTY === true) this.#stream.write(CLEAR)
  }
}
