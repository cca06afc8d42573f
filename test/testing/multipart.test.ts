import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeMultipart } from '../../src/testing/multipart.ts'

/** The platform's own reader. */
async function decode(entries: (readonly [string, string | File])[]): Promise<FormData> {
  const { content, contentType } = await encodeMultipart(entries)
  return new Response(new Blob([Buffer.from(content)]), {
    headers: { 'content-type': contentType },
  }).formData()
}

const crlf = (text: string) => text.replace(/\r\n|\r|\n/g, '\r\n')

test('any names and texts arrive in order, line ends as CRLF', async () => {
  const text = fc.string({ unit: 'grapheme' })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text)), async (pairs) => {
      const expected = pairs.map(([name, value]) => [crlf(name), crlf(value)])
      assert.deepEqual([...(await decode(pairs))], expected)
    }),
    { numRuns: 50 },
  )
})

test('any bytes of a file arrive', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
      const file = (await decode([['f', new File([Buffer.from(bytes)], 'a.bin')]])).get('f')
      assert.ok(file instanceof File)
      assert.deepEqual(new Uint8Array(await file.arrayBuffer()), bytes)
    }),
    { numRuns: 50 },
  )
})

for (const [title, name, written] of [
  ['quotes', 'a"b', 'filename="a%22b"'],
  ['line ends', 'a\r\nb', 'filename="a%0D%0Ab"'],
  ['other letters', 'é.txt', 'filename="é.txt"'],
  ['nothing', '', 'filename=""'],
] as const) {
  test(`a file name of ${title} is written as browsers write it`, async () => {
    const { content } = await encodeMultipart([['f', new File([], name)]])
    assert.ok(new TextDecoder().decode(content).includes(`name="f"; ${written}\r\n`))
  })
}

test('a name cannot add headers', async () => {
  const { content } = await encodeMultipart([['a"\r\nX-Header: b', 'c']])
  assert.match(new TextDecoder().decode(content), /name="a%22%0D%0AX-Header: b"\r\n\r\nc\r\n/)
})
