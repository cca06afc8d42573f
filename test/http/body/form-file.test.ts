import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FormFile } from 'propylon'

const CONTENT = [new Uint8Array([104, 195]), new Uint8Array([169])]
const hello = new FormFile('f', 'a.txt', 'text/plain', CONTENT)

describe('FormFile', () => {
  const names: [string, string][] = [
    ['a.txt', 'a.txt'],
    ['/etc/passwd', 'passwd'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\win.ini', 'win.ini'],
    ['a/b\\c.txt', 'c.txt'],
    ['..', ''],
    ['../..', ''],
    ['dir/', ''],
    ['...', ''],
    [' . ', ''],
    ['a\0.txt', 'a.txt'],
    ['a\r\nb.txt', 'ab.txt'],
    ['evil\u202Etxt.exe', 'eviltxt.exe'],
    ['.\0.', ''],
    ['.profile', '.profile'],
    ['ü 日本.txt', 'ü 日本.txt'],
    ['', ''],
  ]
  for (const [given, filename] of names) {
    it(`names ${JSON.stringify(given)} ${JSON.stringify(filename)}`, () => {
      assert.equal(new FormFile('f', given, 'a/b', []).filename, filename)
    })
  }

  it('never has a name with a directory', () => {
    const unit = fc.constantFrom('.', '/', '\\', '\0', ' ', 'a', '\u202e')
    fc.assert(
      fc.property(fc.string({ unit }), (given) => {
        const { filename } = new FormFile('f', given, 'a/b', [])
        assert.ok(!/[/\\\0]/.test(filename) && filename !== '.' && filename !== '..', JSON.stringify(filename))
      }),
    )
  })

  it('returns its content as bytes, text and a stream, any number of times', async () => {
    for (let time = 0; time < 2; time++) {
      assert.equal(hello.size, 3)
      assert.deepEqual([...(await hello.bytes())], [104, 195, 169])
      assert.equal(await hello.text(), 'hé')
      assert.equal(await new globalThis.Response(hello.stream()).text(), 'hé')
    }
  })
})
