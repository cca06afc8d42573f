import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { Cluster } from 'ioredis'
import pg from 'pg'
import { eventStream, FrameworkApp, Mapper, type ServerSentEvent, WSGIController } from 'propylon'
import { type ChannelEvent, type ChannelOptions, channel, type Subscription } from 'propylon/events'
import { serve } from 'propylon/node'
import { createEnviron, run } from 'propylon/wsgi'
import { PLACES, type Place, uniqueName } from './places.ts'

async function take<Data>(events: Subscription<Data>, count: number): Promise<ChannelEvent<Data>[]> {
  const taken: ChannelEvent<Data>[] = []
  while (taken.length < count) {
    const { done, value } = await events.next()
    assert.ok(!done, 'the subscription has ended')
    taken.push(value)
  }
  return taken
}

const dataOf = async (events: Subscription<unknown>, count: number) =>
  (await take(events, count)).map(({ data }) => data)

for (const [where, open] of Object.entries(PLACES)) {
  describe(`a channel in ${where}`, () => {
    let place: Place
    before(async () => {
      place = await open()
    })
    after(() => place.close())

    /** Two channels of a new name, as two processes have them. */
    const pair = (options: ChannelOptions = {}, at = place) => {
      const name = uniqueName()
      return [channel(name, { ...options, ...at.options }), channel(name, { ...options, ...at.other })] as const
    }

    it('sends each subscription the events from now on', async () => {
      const [one] = pair()
      await one.publish({ data: 'before' })
      const subscriptions = [one.subscribe(), one.subscribe()]
      const first = Promise.all(subscriptions.map((each) => take(each, 1)))
      const ids = [
        await one.publish({ event: 'page', data: { title: 'ü', n: [1, null] } }),
        await one.publish({ data: 0 }),
      ]
      const expected = { id: ids[0], event: 'page', data: { title: 'ü', n: [1, null] } }
      for (const [event] of await first) assert.deepEqual(event, expected)
      for (const each of subscriptions) assert.deepEqual(await take(each, 1), [{ id: ids[1], data: 0 }])
      for (const each of subscriptions) await each.return()
      assert.ok(Number(ids[1]) > Number(ids[0]))
    })

    it('wakes a subscription of another process', async () => {
      const [one, two] = pair()
      await one.publish({ data: 1 })
      const events = two.subscribe('0')
      assert.deepEqual(await dataOf(events, 1), [1])
      const next = dataOf(events, 1)
      await one.publish({ data: 2 })
      assert.deepEqual(await next, [2])
      await events.return()
    })

    it('sends the events behind an id', async () => {
      const [one, two] = pair()
      const ids = []
      for (let n = 1; n <= 5; n++) ids.push(await one.publish({ data: n }))
      const events = two.subscribe(ids[1])
      assert.deepEqual(await dataOf(events, 3), [3, 4, 5])
      const last = two.subscribe(Number(ids[4]))
      const next = dataOf(last, 1)
      await one.publish({ data: 6 })
      assert.deepEqual(await next, [6])
      for (const each of [events, last]) await each.return()
    })

    it('keeps a number of events, and begins at the oldest for an id that is unknown or too old', async () => {
      const [one, two] = pair({ keep: 3 })
      const ids = []
      for (let n = 1; n <= 7; n++) ids.push(await one.publish({ data: n }))
      for (const id of [ids[0], ids[3], '0', 'x', '', '-1', '1.5', '9'.repeat(16), '9'.repeat(40), 0]) {
        const events = two.subscribe(id)
        assert.deepEqual(await dataOf(events, 3), [5, 6, 7], `behind ${id}`)
        await events.return()
      }
    })

    it('goes on at the oldest event if the reader is too slow', async () => {
      const [one] = pair({ keep: 3 })
      const events = one.subscribe()
      await one.publish({ data: 0 })
      assert.deepEqual(await dataOf(events, 1), [0])
      for (let n = 1; n <= 200; n++) await one.publish({ data: n })
      const rest = await dataOf(events, 3)
      assert.deepEqual(rest, [198, 199, 200])
      await events.return()
    })

    it('lets a slow reader hold a bounded length of events', async () => {
      const [one] = pair({ keep: 3 })
      const events = one.subscribe()
      for (let n = 1; n <= 3; n++) await one.publish({ data: `${n}`.repeat(600_000) })
      assert.equal(String(await dataOf(events, 1))[0], '1')
      for (let n = 4; n <= 6; n++) await one.publish({ data: n })
      assert.deepEqual(await dataOf(events, 3), [4, 5, 6])
      await events.return()
    })

    it('delivers more events than one read has', async () => {
      const [one, two] = pair()
      const events = two.subscribe('0')
      const all = Array.from({ length: 450 }, (_, n) => n)
      await Promise.all(all.map((data) => one.publish({ data })))
      const read = await take(events, all.length)
      assert.deepEqual(new Set(read.map(({ data }) => data)), new Set(all))
      assert.deepEqual(
        read.map(({ id }) => Number(id)),
        read.map(({ id }) => Number(id)).sort((a, b) => a - b),
      )
      await events.return()
    })

    it('ends a subscription that waits at once', async () => {
      const [one] = pair()
      const events = one.subscribe()
      const waiting = [events.next(), events.next()]
      assert.deepEqual(await events.return(), { done: true, value: undefined })
      for (const each of [...waiting, events.next()]) assert.equal((await each).done, true)
    })

    it('ends all subscriptions when it is closed', async () => {
      const [one] = pair()
      const waiting = [one.subscribe(), one.subscribe('0')].map((each) => each.next())
      one.close()
      for (const each of [...waiting, one.subscribe().next()]) assert.equal((await each).done, true)
    })

    it('ends when the loop is left', async () => {
      const [one] = pair()
      await one.publish({ data: 1 })
      const events = one.subscribe('0')
      for await (const { data } of events) {
        assert.equal(data, 1)
        break
      }
      assert.equal((await events.next()).done, true)
    })

    it('goes on after its connections were cut', async (t) => {
      // A pool may find out later that a connection was cut, and other tests do not try again.
      const own = await open()
      t.after(() => own.close())
      const [one, two] = pair({}, own)
      const publish = async (data: number) => {
        for (;;) {
          try {
            return await two.publish({ data })
          } catch {
            // The pool replaces the connection.
          }
        }
      }
      await publish(0)
      const events = one.subscribe('0')
      assert.deepEqual(await dataOf(events, 1), [0])
      const next = dataOf(events, 1)
      for (let n = 1; n <= 3; n++) {
        await own.cut()
        await publish(n)
      }
      const rest = await next
      while (rest.at(-1) !== 3) rest.push(...(await dataOf(events, 1)))
      // An event whose publisher lost its connection may have been stored nevertheless.
      assert.deepEqual([...new Set(rest)], [1, 2, 3])
      await events.return()
    })

    it('ends with its stream when the server shuts down', async () => {
      const [one] = pair()
      await one.publish({ data: 1 })
      class EventsController extends WSGIController {
        index() {
          return eventStream(one.subscribe('0'))
        }
      }
      const map = new Mapper().connect('/', { controller: 'events', action: 'index' })
      const app = new FrameworkApp({ map, controllers: { events: EventsController } })
      const server = await serve(app, { port: 0, host: '127.0.0.1' })
      const { body } = await fetch(server.url)
      assert.ok(body)
      let text = ''
      // Comments come first while the event is read.
      for await (const chunk of body) {
        text += new TextDecoder().decode(chunk)
        if (text.includes('data: 1\n\n')) void server.close()
      }
      assert.match(text, /data: 1/)
    })

    it('returns the values that JSON expresses', () =>
      fc.assert(
        fc.asyncProperty(
          fc.jsonValue(),
          fc.option(fc.stringMatching(/^[a-z:-]{1,9}$/), { nil: undefined }),
          async (data, event) => {
            const [one] = pair()
            await one.publish({ event, data })
            const events = one.subscribe('0')
            const [found] = await take(events, 1)
            assert.deepEqual([found?.event, found?.data], [event, JSON.parse(JSON.stringify(data))])
            await events.return()
          },
        ),
        { numRuns: 30 },
      ))
  })
}

/** Returns the first text of a stream that is no comment. */
async function firstText(source: AsyncIterable<ServerSentEvent>): Promise<string> {
  const { body } = await run(eventStream(source, { heartbeat: 0 }), createEnviron())
  for await (const chunk of body) {
    const text = new TextDecoder().decode(chunk)
    if (!text.startsWith(':')) return text
  }
  throw new Error('the stream has no event')
}

describe('event streams of a channel', () => {
  it('have the text of its events', () =>
    fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.option(fc.stringMatching(/^[a-z:-]{1,9}$/), { nil: undefined }),
        async (data, event) => {
          const events = channel(uniqueName())
          await events.publish({ event, data })
          async function* copies() {
            for await (const each of events.subscribe('0')) yield { ...each }
          }
          assert.equal(await firstText(events.subscribe('0')), await firstText(copies()))
        },
      ),
    ))

  it('make the text of an event once', async (t) => {
    const events = channel(uniqueName())
    const texts = [1, 2, 3].map(() => firstText(events.subscribe()))
    const { mock } = t.mock.method(JSON, 'parse')
    await events.publish({ data: 'two\nlines' })
    for (const text of await Promise.all(texts)) assert.match(text, /^id: \d+\ndata: two\ndata: lines\n\n$/)
    assert.equal(mock.callCount(), 1)
  })
})

/** Options as a program without types may pass them. */
function wrong(options: object): ChannelOptions {
  return options
}

describe('a channel', () => {
  it('listens no longer when a subscription could not begin', async () => {
    let listening = 0
    const subscriber = {
      connect: async () => void listening++,
      pSubscribe: async () => {},
      on: () => {},
      destroy: () => void listening--,
    }
    const redis = {
      sendCommand: async () => Promise.reject(new Error('no Redis')),
      duplicate: () => subscriber,
    }
    const events = channel(uniqueName(), { redis }).subscribe()
    await assert.rejects(events.next(), /no Redis/)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(listening, 0)
    assert.deepEqual(await events.next(), { done: true, value: undefined })
  })

  it('answers calls that wait in their order', async () => {
    const events = channel(uniqueName())
    const subscription = events.subscribe()
    const waiting = [1, 2, 3].map(() => dataOf(subscription, 1))
    for (const data of [1, 2, 3]) await events.publish({ data })
    assert.deepEqual(await Promise.all(waiting), [[1], [2], [3]])
    await subscription.return()
  })

  it('gives each subscription data of its own', async () => {
    const events = channel<number[]>(uniqueName())
    const [one, two] = [events.subscribe(), events.subscribe()]
    const first = Promise.all([take(one, 1), take(two, 1)])
    await events.publish({ data: [1] })
    const [[changed], [other]] = await first
    changed?.data.push(2)
    assert.deepEqual(other?.data, [1])
  })

  it('is one channel for each name in a process', async () => {
    const name = uniqueName()
    const events = channel(name).subscribe()
    await channel(`${name}-other`).publish({ data: 0 })
    await channel(name).publish({ data: 1 })
    assert.deepEqual(await dataOf(events, 1), [1])
  })

  for (const [title, run, message] of [
    ['an empty name', () => channel(''), /name of a channel is ""/],
    ['a name of two lines', () => channel('a\nb'), /Give a line of 1 to 200 characters/],
    ['a name that is too long', () => channel('x'.repeat(201)), /name of a channel/],
    ['a pool of one connection', () => channel('a', { postgres: new pg.Pool({ max: 1 }) }), /at least two connections/],
    ['keep: 0', () => channel('a', { keep: 0 }), /keep: 0/],
    ['keep: 1.5', () => channel('a', { keep: 1.5 }), /an integer above 0/],
    ['a URL as redis', () => channel('a', wrong({ redis: 'redis://localhost' })), /as redis\. Pass a client/],
    [
      'a cluster of ioredis',
      () => channel('a', wrong({ redis: new Cluster([], { lazyConnect: true }) })),
      /as redis\. Pass a client of the package redis or ioredis, not of a cluster/,
    ],
    ['a URL as postgres', () => channel('a', wrong({ postgres: 'postgres://localhost' })), /as postgres\. Pass a Pool/],
  ] as const) {
    it(`refuses ${title}`, () => assert.throws(run, message))
  }

  for (const [title, event, message] of [
    ['data that is not JSON', { data: undefined }, /publish\(\) got undefined as data/],
    ['data that is too long', { data: 'x'.repeat(1_048_576) }, /has 1048578 characters/],
    ['a type of two lines', { event: 'a\nb', data: 1 }, /type of an event/],
  ] as const) {
    it(`refuses ${title}`, () => assert.rejects(channel(uniqueName()).publish(event), message))
  }
})
