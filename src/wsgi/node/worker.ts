/**
 * A worker of {@link WorkerPool}: its messages, and the signals that end it.
 *
 * @module
 */
import cluster from 'node:cluster'
import { isRecord } from '../../base/record.ts'

/** Message of a worker to its pool when it listens. */
interface ListeningMessage {
  readonly listening: string
}

/** Message of the pool to a worker that another one has replaced. */
export interface RetirementMessage {
  readonly retired: true
}

/** Message of a worker to its pool when its port is closed. */
interface ClosedMessage {
  readonly closed: true
}

/** Message of the pool to its workers when the ports of all of them are closed. */
export interface AllClosedMessage {
  readonly allClosed: true
}

/**
 * Time for which a worker that is replaced keeps idle connections. Clients that send requests in this time receive
 * `Connection: close` and open another connection. One that is closed while a request is on its way would fail it.
 */
export const RETIREMENT_MILLISECONDS = 1000

/** SIGTERM, SIGINT, or the end of a worker that has been replaced. */
export type StopReason = 'terminated' | 'interrupted' | 'retired'

/** Whether this worker has begun to listen. */
let listens = false

/** Notifies the pool that this worker listens. */
export function reportListening(url: string): void {
  listens = true
  process.send?.({ listening: url } satisfies ListeningMessage)
}

/** Returns the URL in the message of a worker that listens. */
export function listeningUrl(message: unknown): string | undefined {
  return isRecord(message) && typeof message.listening === 'string' ? message.listening : undefined
}

/** Returns whether a message says that the port of a worker is closed. */
export function isClosedMessage(message: unknown): boolean {
  return isRecord(message) && message.closed === true
}

/** Whether this worker ends together with the others of its pool. */
let endsWithPool = false

/** Resolves on SIGTERM and SIGINT, and when the pool of this worker has ended or has replaced it. */
export function stopSignal(): Promise<StopReason> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve('interrupted')) // Once, so that a second Ctrl-C ends the process.
    if (!cluster.isWorker) {
      process.once('SIGTERM', () => resolve('terminated'))
      return
    }
    // Not once: a signal to the process group reaches each worker, and the pool sends it again.
    process.on('SIGTERM', () => {
      endsWithPool = true
      resolve('terminated')
    })
    // First, because the listener of node:cluster ends the process if the pool was killed. Requests are completed before.
    process.prependOnceListener('disconnect', () => {
      if (listens && cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true
      resolve('terminated')
    })
    process.on('message', (message) => {
      if (isRecord(message) && message.retired === true) resolve('retired')
    })
  })
}

/**
 * Resolves when no worker of the pool accepts connections, if all of them are ending; otherwise at once. A client that receives
 * its response earlier connects for its next request, perhaps to a worker that is closing its port just then.
 *
 * @param longest - time after which it resolves in any case, in milliseconds: another worker may be busy.
 */
export function othersClosed(longest: number): Promise<void> {
  if (!endsWithPool || !process.connected) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      process.off('message', listen)
      process.off('disconnect', end)
      resolve()
    }
    const listen = (message: unknown) => {
      if (isRecord(message) && message.allClosed === true) end()
    }
    const timer = setTimeout(end, longest)
    process.on('message', listen)
    process.on('disconnect', end)
    // If the pool has ended, the event comes.
    process.send?.({ closed: true } satisfies ClosedMessage, () => {})
  })
}
