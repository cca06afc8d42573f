import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TestApp } from 'propylon/testing'

type Entries = (readonly [name: string, value: string | File])[]

/** Posts a form to an application that returns the bytes of its body. */
async function encode(entries: Entries): Promise<{ content: Uint8Array; contentType: string }> {
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value)
  const app = new TestApp(async (environ, start_response) => {
    start_response('200 OK', [['Content-Type', environ.CONTENT_TYPE ?? '']])
    return [await environ['wsgi.input'].read()]
  })
  const response = await app.post('/', form)
  return { content: response.body, contentType: response.headers.get('content-type') ?? '' }
}

/** Parses the body with the platform's parser. */
async function decode(entries: Entries): Promise<FormData> {
  const { content, contentType } = await encode(entries)
  return new Response(new Blob([new Uint8Array(content)]), {
    headers: { 'content-type': contentType },
  }).formData()
}

const crlf = (text: string) => text.replace(/\r\n|\r|\n/g, '\r\n')

test('sends any names and texts in order, with CRLF as line ends', async () => {
  const text = fc.string({ unit: 'grapheme' })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text)), async (pairs) => {
      const expected = pairs.map(([name, value]) => [crlf(name), crlf(value)])
      assert.deepEqual([...(await decode(pairs))], expected)
    }),
    { numRuns: 50 },
  )
})

test('sends any bytes of a file', async () => {
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
  ['no characters', '', 'filename=""'],
] as const) {
  test(`encodes a file name with ${title} as browsers do`, async () => {
    const { content } = await encode([['f', new File([], name)]])
    assert.ok(new TextDecoder().decode(content).includes(`name="f"; ${written}\r\n`))
  })
}

test('escapes line breaks in a name', async () => {
  const { content } = await encode([['a"\r\nX-Header: b', 'c']])
  assert.match(new TextDecoder().decode(content), /name="a%22%0D%0AX-Header: b"\r\n\r\nc\r\n/)
})
