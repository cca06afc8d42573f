/** Event streams of actions, as clients of the protocol receive them. */
import { describeValue } from '../../base/describe.ts'
import { isRecord } from '../../base/record.ts'
import { parseJson } from '../../http/json.ts'
import { MAX_RESPONSE } from './inner-request.ts'
import type { MCPCall, Notification } from './server.ts'

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
  let progress = Number.NEGATIVE_INFINITY
  for await (const { event, data } of eventsIn(body)) {
    if (event === 'progress') {
      const params = progressOf(data)
      // Progress must increase with each notification.
      if (call.progressToken === undefined || params.progress <= progress) continue
      progress = params.progress
      yield {
        method: 'notifications/progress',
        params: { progressToken: call.progressToken, ...params },
      }
    } else if (event === 'log') {
      const params = logOf(data)
      if (call.wantsLog(params.level)) yield { method: 'notifications/message', params }
    } else texts.push(data)
  }
  return texts.join('\n')
}

function progressOf(data: string): { progress: number; total?: unknown; message?: unknown } {
  const value = parseJson(data)
  if (isRecord(value) && typeof value.progress === 'number') {
    const { progress, total, message } = value
    return { progress, total, message }
  }
  throw new TypeError(
    `An event "progress" has the data ${describeValue(data)}. Send { progress: 1, total: 10, message: 'Reading' }; total and message may be left out.`,
  )
}

function logOf(data: string): { level: string; logger?: unknown; data: unknown } {
  const value = parseJson(data)
  if (isRecord(value) && typeof value.level === 'string' && value.data !== undefined) {
    const { level, logger } = value
    return { level, logger, data: value.data }
  }
  throw new TypeError(
    `An event "log" has the data ${describeValue(data)}. Send { level: 'info', data: 'Started' }.`,
  )
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
