/** Counts what the process holds: memory, objects, descriptors, listeners, timers. */
import { readdirSync } from 'node:fs'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HTTPException, Request, Response, Session, WSGIController } from '../../../src/index.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Classes of which a server makes objects for each request or connection. */
const CLASSES = {
  AbortController,
  AbortSignal,
  IncomingMessage,
  ReadableStream,
  Readable,
  ServerResponse,
  Socket,
  controllers: WSGIController,
  requests: Request,
  responses: Response,
  exceptions: HTTPException,
  sessions: Session,
}

/** What a process holds at a moment. */
export interface Inventory {
  /** Bytes. */
  readonly heap: number
  readonly resident: number
  readonly descriptors: number
  /** Listeners of the process. */
  readonly listeners: number
  /** Timers, sockets and others that keep the event loop alive. */
  readonly resources: number
  readonly objects: Readonly<Record<string, number>>
}

/** Collects garbage, then counts. */
export async function inventory(): Promise<Inventory> {
  for (let round = 0; round < 3; round++) {
    await setImmediate()
    collect()
  }
  const objects = Object.entries(CLASSES).map(([name, type]) => [name, queryObjects(type)])
  const events = process.eventNames()
  return {
    heap: process.memoryUsage().heapUsed,
    resident: process.memoryUsage.rss(),
    descriptors: readdirSync('/proc/self/fd').length,
    listeners: events.reduce((sum, event) => sum + process.listenerCount(event), 0),
    resources: process.getActiveResourcesInfo().length,
    objects: Object.fromEntries(objects),
  }
}
