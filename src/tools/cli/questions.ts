import { createInterface, type Interface } from 'node:readline'
import { CommandError, UsageError } from '../../base/command-line/command-errors.ts'
import { complain, print, type Terminal } from '../../base/command-line/terminal.ts'

/** Asks questions in a terminal. */
export class Questions implements Disposable {
  readonly #terminal: Terminal
  readonly #interface: Interface
  /** Buffers lines that arrive before their question, as pasted ones do. */
  readonly #lines: AsyncIterator<string>
  /** Whether the input has ended. Lines may be buffered still. */
  #isClosed = false

  /** Returns questions for a terminal; undefined without a terminal. */
  static in(terminal: Terminal): Questions | undefined {
    const isTerminal = terminal.stdin.isTTY === true && terminal.stdout.isTTY === true
    return isTerminal ? new Questions(terminal) : undefined
  }

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    this.#interface = createInterface({ input: terminal.stdin, output: terminal.stdout })
    this.#interface.once('close', () => {
      this.#isClosed = true
    })
    this.#lines = this.#interface[Symbol.asyncIterator]()
  }

  /**
   * Asks until the answer is accepted.
   *
   * @param read - returns the value of an answer, or throws a UsageError, which is printed.
   * @throws CommandError - the user pressed Ctrl+C, or the input ended.
   */
  async ask<Value>(question: string, read: (answer: string) => Value): Promise<Value> {
    for (;;) {
      this.#show(question)
      const line = await this.#lines.next()
      if (line.done) {
        print(this.#terminal, '') // Ends the line of the question.
        throw new CommandError('cancelled: nothing was created')
      }
      try {
        return read(line.value.trim())
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
        complain(this.#terminal, error.message)
      }
    }
  }

  #show(question: string): void {
    if (this.#isClosed) {
      print(this.#terminal, question)
    } else {
      this.#interface.setPrompt(`${question} `)
      this.#interface.prompt()
    }
  }

  [Symbol.dispose](): void {
    this.#interface.close()
  }
}

/** Reads the answer to a question, whose empty answer is the default. */
export function yesOrNo(byDefault: boolean): (answer: string) => boolean {
  return (answer) => {
    const word = answer.toLowerCase()
    if (word === '') return byDefault
    if (['y', 'yes'].includes(word)) return true
    if (['n', 'no'].includes(word)) return false
    throw new UsageError('this is neither yes nor no', "write 'yes' or 'no'")
  }
}
