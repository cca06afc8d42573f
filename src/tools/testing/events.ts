/** The events of a stream that an application sends (HTML Standard §9.2). */

import { ClientDisconnected } from '../../wsgi/error-reporting.ts'
import { receivedEvents } from '../../wsgi/received-events.ts'
import type { RunResult } from '../../wsgi/run.ts'
import type { ServerConnection } from '../../wsgi/types.ts'

/** An event of {@link TestApp.events}, with the fields that were sent. */
export interface TestEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/** The client's side of a stream: {@link disconnect} ends `request.signal`, as leaving a page does. */
export class TestConnection implements ServerConnection {
  readonly closing = undefined
  readonly #left = new AbortController()

  onLost(listener: (reason: Error) => void): void {
    this.#left.signal.addEventListener('abort', () => listener(this.#left.signal.reason))
  }

  disconnect(): void {
    this.#left.abort(new ClientDisconnected())
  }
}

/**
 * Yields the events of a response. Leaving the loop disconnects.
 *
 * @throws Error, in the loop - the response is not a stream of events.
 */
export async function* eventsOf(
  response: Promise<RunResult>,
  connection: TestConnection,
): AsyncGenerator<TestEvent, void, undefined> {
  const result = await response
  const { status, headers, body } = result
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (!status.startsWith('200') || !/^text\/event-stream\b/i.test(type)) {
    const start = (await result.text()).slice(0, 500)
    throw new Error(`The response is ${status}, of type ${type || 'none'}, and not a stream of events:\n${start}`)
  }
  try {
    yield* receivedEvents(body)
  } finally {
    connection.disconnect()
    await body.close()
  }
}
