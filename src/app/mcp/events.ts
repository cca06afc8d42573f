/** Event streams of actions, as clients of the protocol receive them. */
import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { jsonIn } from './content.ts'
import { MAX_RESPONSE } from './inner-request.ts'
import type { MCPAnswer, MCPCall, Notification } from './server.ts'

/** An event of a stream (HTML Standard §9.2.6). */
interface StreamEvent {
  readonly event: string
  readonly data: string
}

/** Returns true if a client wants to hear of a call that is in progress. */
export function wantsNotifications({ progressToken, wantsLog }: MCPCall): boolean {
  return progressToken !== undefined || wantsLog('emergency')
}

/**
 * Returns a function that makes notifications of the events `progress` and `log` of one call. It returns undefined if the client
 * does not want one, or for another event, and throws a TypeError if the data are malformed.
 */
export function notifier(call: MCPCall): (event: unknown, data: unknown) => Notification | undefined {
  let last = Number.NEGATIVE_INFINITY

  const progressed = (data: unknown): Notification | undefined => {
    if (!isRecord(data) || typeof data.progress !== 'number') {
      throw new TypeError(
        `An event "progress" has the data ${describeValue(data)}. Send { progress: 1, total: 10, message: 'Reading' }; total and message may be left out.`,
      )
    }
    const { progress, total, message } = data
    const { progressToken } = call
    // Progress must increase with each notification.
    if (progressToken === undefined || progress <= last) return undefined
    last = progress
    return { method: 'notifications/progress', params: { progressToken, progress, total, message } }
  }

  const logged = (value: unknown): Notification | undefined => {
    if (!isRecord(value) || typeof value.level !== 'string' || value.data === undefined) {
      throw new TypeError(
        `An event "log" has the data ${describeValue(value)}. Send { level: 'info', data: 'Started' }.`,
      )
    }
    const { level, logger, data } = value
    return call.wantsLog(level)
      ? { method: 'notifications/message', params: { level, logger, data } }
      : undefined
  }

  return (event, data) => {
    if (event === 'progress') return progressed(data)
    return event === 'log' ? logged(data) : undefined
  }
}

/** Reads a stream to its end, without its notifications. */
export async function drained(messages: AsyncGenerator<Notification, MCPAnswer>): Promise<MCPAnswer> {
  let next = await messages.next()
  while (next.done !== true) next = await messages.next()
  return next.value
}

/**
 * Reads a stream. Events `progress` and `log` become notifications if the client wants them; the data of the others is returned, in
 * lines.
 *
 * @throws RangeError - the stream has more than {@link MAX_RESPONSE} bytes.
 * @throws TypeError - the data of an event `progress` or `log` is malformed.
 */
export async function* notificationsIn(
  body: AsyncIterable<Uint8Array>,
  call: MCPCall,
): AsyncGenerator<Notification, string> {
  const texts: string[] = []
  const notify = notifier(call)
  for await (const { event, data } of eventsIn(body)) {
    if (event !== 'progress' && event !== 'log') {
      texts.push(data)
      continue
    }
    const notification = notify(event, (jsonIn(data) ?? { value: data }).value)
    if (notification !== undefined) yield notification
  }
  return texts.join('\n')
}

async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  let event = 'message'
  let data: string[] = []
  for await (const line of linesIn(body)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') }
      event = 'message'
      data = []
      continue
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
  }
}

/** @throws RangeError - the stream is too long. */
async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MAX_RESPONSE) throw new RangeError(`The stream has more than ${MAX_RESPONSE} bytes.`)
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}
