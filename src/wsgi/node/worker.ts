/**
 * A process that serves, by itself or as a worker of {@link superviseWorkers}.
 *
 * @module
 */
import cluster from 'node:cluster'
import { isRecord } from '../../base/record.ts'

/**
 * Time for which a worker that is replaced keeps idle connections. Clients that send requests in this time receive
 * `Connection: close` and open another connection. One that is closed while a request is on its way would fail it.
 */
const REPLACEMENT_MILLISECONDS = 1000

/** Whether this worker ends together with the others. */
let endsWithOthers = false

/**
 * Resolves when this process is to stop, to the time for which it keeps its port and idle connections, in milliseconds.
 *
 * @param terminated - the time after SIGTERM.
 * @param interrupted - the time after SIGINT. A second SIGINT ends the process.
 */
export function stopDelay(terminated: number, interrupted: number): Promise<number> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(interrupted))
    process.once('SIGTERM', () => {
      endsWithOthers = cluster.isWorker
      resolve(terminated)
    })
    const { worker } = cluster
    if (worker === undefined) return
    // A signal to the process group reaches each worker, and the supervisor sends it again.
    process.on('SIGTERM', () => {})
    // The supervisor was killed. node:cluster would end this process at once, too.
    worker.once('disconnect', () => {
      worker.exitedAfterDisconnect = true
      resolve(terminated)
    })
    process.on('message', (message) => {
      if (isRecord(message) && message.replaced === true) resolve(REPLACEMENT_MILLISECONDS)
    })
  })
}

/**
 * Resolves when no worker accepts connections, if all of them are ending; otherwise at once. A client that receives
 * its response earlier connects for its next request, perhaps to a worker that is closing its port just then.
 *
 * @param longest - time after which it resolves in any case, in milliseconds: another worker may be busy.
 */
export function othersClosed(longest: number): Promise<void> {
  return new Promise((resolve) => {
    if (!endsWithOthers || !process.connected) return resolve()
    setTimeout(resolve, longest).unref()
    process.once('disconnect', resolve)
    process.on('message', (message) => {
      if (isRecord(message) && message.allClosed === true) resolve()
    })
    // If the supervisor has ended, the event comes.
    process.send?.({ closed: true }, () => {})
  })
}
