import type { Worker } from 'node:cluster'
import { isRecord } from '../../base/record.ts'

/**
 * Recovers the connections that node:cluster has sent to a worker and the worker has not confirmed when it dies.
 *
 * Only the worker's reply lets node:cluster close or redistribute such a connection (`RoundRobinHandle.handoff` in
 * lib/internal/cluster/round_robin_handle.js). Without one the client waits forever, and this process keeps the socket.
 * There is no public API for it, so the internal messages `newconn` and their replies are watched.
 *
 * @param isServed - whether another worker takes connections. If not, the connections are closed.
 */
export function recoverConnections(worker: Worker, isServed: () => boolean): void {
  const child = worker.process
  const unconfirmed = new Map<unknown, unknown>()
  const { send } = child
  Object.assign(child, {
    send(...values: Parameters<typeof send>) {
      const [message, handle] = values
      if (isRecord(message) && message.act === 'newconn') unconfirmed.set(message.seq, handle)
      return send.apply(child, values)
    },
  })
  child.on('internalMessage', (message: unknown) => {
    if (isRecord(message)) unconfirmed.delete(message.ack)
  })
  child.once('close', () => {
    if (unconfirmed.size === 0) return
    // Node does not emit it while a handle is unconfirmed. It makes node:cluster forget the worker.
    child.emit('disconnect')
    for (const [sequence, handle] of unconfirmed) {
      // The reply of a worker that is shutting down.
      if (isServed()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: sequence, accepted: false })
      else if (isRecord(handle) && typeof handle.close === 'function') handle.close()
    }
  })
}
