import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { inputStream } from 'propylon/wsgi'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (piece: Uint8Array) => new TextDecoder().decode(piece)

async function* pieces(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? bytes(part) : part
}

describe('inputStream', () => {
  it('does not read its source before the first read', async () => {
    let touched = false
    const source = {
      [Symbol.asyncIterator]: () => {
        touched = true
        return pieces('a')
      },
    }
    const input = inputStream(source)
    assert.equal(touched, false)
    await input.read()
    assert.equal(touched, true)
  })

  it('reads the rest of the body', async () => {
    const input = inputStream(pieces('ab', '', 'cd'))
    assert.equal(text(await input.read()), 'abcd')
    assert.equal(text(await input.read()), '')
  })

  it('reads chunks of the requested size across chunks of the source', async () => {
    const input = inputStream(pieces('a', 'bcd', 'e'))
    const read: string[] = []
    for (const size of [2, 0, 2, 5, 1]) read.push(text(await input.read(size)))
    assert.deepEqual(read, ['ab', '', 'cd', 'e', ''])
  })

  it('reads all for a negative size, as files do', async () => {
    assert.equal(text(await inputStream(bytes('abc')).read(-1)), 'abc')
  })

  it('reads lines across chunks', async () => {
    const input = inputStream(pieces('a', 'b\nc\n', '\nd'))
    const read: string[] = []
    for (let at = 0; at < 6; at++) read.push(text(await input.readline()))
    assert.deepEqual(read, ['ab\n', 'c\n', '\n', 'd', '', ''])
  })

  it('keeps the rest when a loop is left early', async () => {
    const input = inputStream(pieces('a', 'b', 'c'))
    for await (const _piece of input) break
    assert.equal(text(await input.read()), 'bc')
  })

  it('runs concurrent reads one after another without losing bytes', async () => {
    const input = inputStream(pieces('ab', 'cd', 'ef'))
    const read = await Promise.all([input.read(3), input.readline(), input.read()])
    assert.deepEqual(read.map(text), ['abc', 'def', ''])
  })

  it('provides one web stream', async () => {
    const input = inputStream(pieces('ab', 'cd'))
    assert.equal(input.stream, input.stream)
    assert.equal(text(await input.read(1)), 'a')
    assert.equal(await new Response(input.stream).text(), 'bcd')
  })

  it('is empty for null, also as a stream', async () => {
    const input = inputStream(null)
    assert.equal((await input.read()).byteLength, 0)
    assert.equal((await input.readline()).byteLength, 0)
    assert.equal(await new Response(input.stream).text(), '')
    for await (const _piece of input) assert.fail()
  })

  it('throws the error of its source to each reader', async () => {
    const failing = inputStream(
      // biome-ignore lint/correctness/useYield: it fails before it can
      (async function* (): AsyncGenerator<Uint8Array> {
        throw new Error('gone')
      })(),
    )
    await assert.rejects(failing.read(), /gone/)
  })

  for (const size of [1.5, Number.NaN, '5']) {
    it(`refuses to read ${JSON.stringify(size)} bytes`, async () => {
      const input = inputStream(null === size ? null : bytes('abc'))
      await assert.rejects(Reflect.apply(input.read, input, [size]), TypeError)
    })
  }

  it('returns the bytes of the source for any sequence of reads', async () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(parts, fc.array(fc.integer({ min: 1, max: 9 })), async (source, sizes) => {
        const input = inputStream(pieces(...source))
        const read: Uint8Array[] = []
        for (const size of sizes) read.push(size > 7 ? await input.readline() : await input.read(size))
        read.push(await input.read())
        assert.deepEqual(Buffer.concat(read), Buffer.concat(source))
      }),
    )
  })
})
