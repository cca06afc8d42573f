/**
 * A worker of {@link WorkerPool}: its messages, and the signals that end it.
 *
 * @module
 */
import cluster from 'node:cluster'
import { isRecord } from '../record.ts'

/** Message of a worker to its pool when it listens. */
interface ListeningMessage {
  readonly listening: string
}

/** Message of the pool to a worker that another one has replaced. */
export interface RetirementMessage {
  readonly retired: true
}

/**
 * Time for which a worker that is replaced keeps idle connections. Clients that send requests in this time are told to open
 * another connection. One that is closed while a request is on its way would fail it.
 */
export const RETIREMENT_MILLISECONDS = 1000

/** SIGTERM, SIGINT, or the end of a worker that has been replaced. */
export type StopReason = 'terminated' | 'interrupted' | 'retired'

/** Tells the pool of this worker that it listens. */
export function reportListening(url: string): void {
  process.send?.({ listening: url } satisfies ListeningMessage)
}

/** Returns the URL in the message of a worker that listens. */
export function listeningUrl(message: unknown): string | undefined {
  return isRecord(message) && typeof message.listening === 'string' ? message.listening : undefined
}

/** Resolves on SIGTERM and SIGINT, and when the pool of this worker has ended or has replaced it. */
export function stopSignal(): Promise<StopReason> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('terminated'))
    process.once('SIGINT', () => resolve('interrupted')) // Once, so that a second Ctrl-C ends the process.
    if (!cluster.isWorker) return
    process.once('disconnect', () => resolve('terminated'))
    process.on('message', (message) => {
      if (isRecord(message) && message.retired === true) resolve('retired')
    })
  })
}
