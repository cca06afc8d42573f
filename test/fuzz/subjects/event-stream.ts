/** Server-sent events, as a browser parses them (HTML Standard §9.2.6). */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { eventStream, Request } from 'propylon'
import { createEnviron } from 'propylon/wsgi'
import { headerText, text } from '../arbitraries.ts'
import { ask } from '../ask.ts'
import { property, type Subject } from '../property.ts'

const line = fc.oneof(
  text(12),
  fc.constantFrom('', ':', ': x', 'data: x', 'id:1', 'event: x', 'retry: 1', '\ufeff', ' x', '\n\n', '\r', '\r\n'),
)

const event = fc.record({
  data: fc.array(line, { maxLength: 3 }).map((lines) => lines.join('\n')),
  event: fc.option(line),
  id: fc.option(line),
  retry: fc.option(fc.nat(100_000)),
})

/** An event as a browser dispatches it. */
interface Dispatched {
  readonly data: string
  readonly type: string
  readonly lastEventId: string
}

/** The algorithm of the standard, line by line. */
function dispatched(stream: string): { events: Dispatched[]; retries: number[] } {
  const events: Dispatched[] = []
  const retries: number[] = []
  let data = ''
  let type = ''
  let lastEventId = ''
  for (const line of stream.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (line === '') {
      if (data !== '') events.push({ data: data.slice(0, -1), type: type || 'message', lastEventId })
      data = ''
      type = ''
    } else if (field === 'event') type = value
    else if (field === 'data') data += `${value}\n`
    else if (field === 'id' && !value.includes('\0')) lastEventId = value
    else if (field === 'retry' && /^\d+$/.test(value)) retries.push(Number(value))
  }
  return { events, retries }
}

const isField = (value: string | null) => value === null || !/[\r\n\0]/.test(value)

export const events: Subject = {
  name: 'event-stream',
  properties: [
    property('a browser dispatches the events that were sent', fc.array(event, { maxLength: 5 }), async (sent) => {
      async function* source() {
        for (const { data, event, id, retry } of sent) {
          yield { data, event: event ?? undefined, id: id ?? undefined, retry: retry ?? undefined }
        }
      }
      const response = eventStream(source(), { heartbeat: 0 })
      const isRefused = !sent.every(({ event, id }) => isField(event) && isField(id))
      let stream: string
      try {
        stream = (await ask((environ, start) => response.send(environ, start))).text
      } catch (error) {
        assert.ok(isRefused && error instanceof TypeError, String(error))
        return
      }
      assert.ok(!isRefused, 'a line end in a field was sent')
      let lastEventId = ''
      const expected = sent.map(({ data, event, id }) => {
        lastEventId = id ?? lastEventId
        return { data: data.replace(/\r\n|\r/g, '\n'), type: event || 'message', lastEventId }
      })
      const { events, retries } = dispatched(stream)
      assert.deepEqual(events, expected)
      assert.deepEqual(
        retries,
        sent.flatMap(({ retry }) => retry ?? []),
      )
    }),
    property('Last-Event-ID is the id that a browser received', fc.oneof(text(), headerText()), (id) => {
      if (!isField(id)) return
      const header = Buffer.from(id).toString('latin1')
      const { lastEventId } = new Request(createEnviron({ headers: [['Last-Event-ID', header]] }))
      assert.equal(lastEventId ?? '', id)
    }),
  ],
}
