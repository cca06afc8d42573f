/** A child process that generates load on a core of its own, and follows orders. */
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runtimes } from './peers.ts'
import { end, startOnCore } from './server-process.ts'

export const LOAD_CORE = 1

/** The response to an order that could not be carried out. */
export interface Failure {
  readonly kind: 'failed'
  readonly message: string
}

export class LoadProcess<Order extends { readonly kind: string }, Report extends { readonly kind: string }> {
  readonly #child: ChildProcess

  /** @param file - the script of the process, in this directory. */
  constructor(file: string) {
    const path = fileURLToPath(new URL(file, import.meta.url))
    this.#child = startOnCore(LOAD_CORE, [runtimes.node, path], { ipc: true })
  }

  /**
   * Sends an order and waits for the report.
   *
   * @param limit - maximum time to wait, in milliseconds.
   * @throws Error - the load received a wrong response, or did not report in time.
   */
  order(order: Order, limit = 60_000): Promise<Exclude<Report, Failure>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the load did not report on "${order.kind}" within ${limit} ms`)),
        limit,
      )
      this.#child.once('message', (report: Failure | Exclude<Report, Failure>) => {
        clearTimeout(timer)
        if (report.kind === 'failed') reject(new Error((report as Failure).message))
        else resolve(report as Exclude<Report, Failure>)
      })
      this.#child.send(order)
    })
  }

  stop(): void {
    end(this.#child)
  }
}
