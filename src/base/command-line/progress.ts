import { printable } from '../printable.ts'
import type { Terminal } from './terminal.ts'

/** Moves the cursor to the beginning of the line and clears the line. */
const CLEAR = '\r\x1b[K'

/** A line about work that takes long, on stderr. Only a terminal shows it, and it disappears when the work ends. */
export class Progress implements Disposable {
  readonly #stream: Terminal['stderr']
  #isShown = false

  constructor({ stderr }: Terminal, text?: string) {
    this.#stream = stderr
    if (text !== undefined) this.show(text)
  }

  /** Replaces the line. */
  show(text: string): void {
    if (this.#stream.isTTY !== true) return
    this.#stream.write(`${this.#isShown ? CLEAR : ''}${printable(text)}`)
    this.#isShown = true
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#stream.write(CLEAR)
    this.#isShown = false
  }
}
