/** Reads event streams (HTML Standard §9.2). */

/** An event of a stream, with the fields that were sent. */
export interface ReceivedEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/** Yields the events of a body. An event without data is passed over. */
export async function* receivedEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedEvent, void, undefined> {
  let fields: string[] = []
  for await (const line of linesOf(body)) {
    if (line !== '') fields.push(line)
    else {
      const event = eventOf(fields)
      if (event !== undefined) yield event
      fields = []
    }
  }
}

/** Yields complete lines. They end with CR, LF or both. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    // A CR at the end may be half of a line end.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Returns the event of its lines, or undefined if they have no data. */
function eventOf(lines: readonly string[]): ReceivedEvent | undefined {
  const data: string[] = []
  const event: { id?: string; event?: string } = {}
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id' || name === 'event') event[name] = value
  }
  return data.length === 0 ? undefined : { ...event, data: data.join('\n') }
}
