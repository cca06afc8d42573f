import assert from 'node:assert/strict'
import fs, { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FormFile, HTTPConflict, type Part } from 'propylon'
import { rejection } from '../rejection.ts'
import { body, field, file, multipartRequest, Pieces } from './multipart-body.ts'

const content = 'x'.repeat(1000)
const upload = body(file('a.txt', content), field('b', '2'))

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'save-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** Saves the first part of a form with `save`, and returns the names and values of the parts behind it. */
async function saving(form: AsyncIterable<Uint8Array> | string, save: (part: Part) => Promise<unknown>, limit = 1e6) {
  const rest: string[] = []
  let isFirst = true
  for await (const part of multipartRequest(form).parts({ file: limit })) {
    if (isFirst) await save(part)
    else rest.push(`${part.name}=${await part.text()}`)
    isFirst = false
  }
  return rest
}

const files = () => readdir(directory)
const read = (name: string) => readFile(join(directory, name), 'utf8')

describe('part.saveTo()', () => {
  it('writes the content to a file and nothing else', async () => {
    const rest = await saving(new Pieces(upload, 100), (part) => part.saveTo(join(directory, 'new')))
    assert.deepEqual(rest, ['b=2'])
    assert.deepEqual(await files(), ['new'])
    assert.equal(await read('new'), content)
  })

  it('takes a URL', async () => {
    await saving(upload, (part) => part.saveTo(new URL('a%20b', `${pathToFileURL(directory)}/`)))
    assert.equal(await read('a b'), content)
  })

  it('writes an empty file', async () => {
    await saving(body(file('empty', '')), (part) => part.saveTo(join(directory, 'empty')))
    assert.equal(await read('empty'), '')
  })

  it('replaces a file', async () => {
    await writeFile(join(directory, 'old'), 'old')
    await saving(upload, (part) => part.saveTo(join(directory, 'old')))
    assert.deepEqual([await files(), await read('old')], [['old'], content])
  })

  it('has a file complete under its name only', async () => {
    const seen: string[][] = []
    const pieces = new Pieces(upload, 100)
    async function* watched() {
      for await (const piece of pieces) {
        seen.push(await files())
        yield piece
      }
    }
    await saving(watched(), (part) => part.saveTo(join(directory, 'new')))
    assert.ok(seen.some((names) => names.length === 1 && names[0]?.startsWith('.upload-')))
    assert.ok(seen.slice(0, 8).every((names) => !names.includes('new')))
  })

  it('is waited for if it is not awaited', async () => {
    const rest = await saving(new Pieces(upload, 100), async (part) => void part.saveTo(join(directory, 'new')))
    assert.deepEqual([rest, await read('new')], [['b=2'], content])
  })

  const failures: [label: string, form: AsyncIterable<Uint8Array> | string, limit: number, error: RegExp][] = [
    ['the form ends early', new Pieces(upload.slice(0, 500), 50), 1e6, /no closing boundary/],
    ['the connection is lost', new Pieces(upload.slice(0, 500), 50, new Error('lost')), 1e6, /lost/],
    ['the file is too large', new Pieces(upload, 50), 999, /exceeds the limit of 999 bytes/],
  ]
  for (const [label, form, limit, error] of failures) {
    for (const name of ['new', 'old']) {
      it(`leaves the directory as it was if ${label}, for ${name === 'new' ? 'a new' : 'an old'} file`, async () => {
        await writeFile(join(directory, 'old'), 'old')
        await assert.rejects(
          saving(form, (part) => part.saveTo(join(directory, name)), limit),
          error,
        )
        assert.deepEqual([await files(), await read('old')], [['old'], 'old'])
      })
    }
  }

  it('names a directory that does not exist, before the upload is read', async () => {
    const pieces = new Pieces(upload, 50)
    await assert.rejects(
      saving(pieces, (part) => part.saveTo(join(directory, 'no', 'new'))),
      {
        code: 'ENOENT',
        message: /saveTo\(\) cannot write to .*no, which does not exist\. Create the directory/,
      },
    )
    assert.ok(pieces.taken < 5)
  })

  it('removes the new file if it cannot get its name', async () => {
    await assert.rejects(
      saving(upload, (part) => part.saveTo(directory)),
      { syscall: 'rename' },
    )
    assert.deepEqual(await files(), [])
  })
})

describe('part.saveTo() with overwrite: false', () => {
  const save = (part: Part) => part.saveTo(join(directory, 'name'), { overwrite: false })

  it('writes a new file and nothing else', async () => {
    await saving(upload, save)
    assert.deepEqual([await files(), await read('name')], [['name'], content])
  })

  it('is 409 for a file that exists, before the upload is read', async () => {
    await writeFile(join(directory, 'name'), 'old')
    const pieces = new Pieces(upload, 50)
    const exception = await rejection(saving(pieces, save))
    assert.ok(exception instanceof HTTPConflict)
    assert.equal(exception.detail?.includes(directory), false)
    assert.ok(pieces.taken < 5)
    assert.deepEqual([await files(), await read('name')], [['name'], 'old'])
  })

  for (const hasLinks of [true, false]) {
    it(`lets one of several uploads win${hasLinks ? '' : ', without hard links'}`, async (t) => {
      if (!hasLinks) {
        t.mock.method(fs, 'link', () => Promise.reject(Object.assign(new Error('no'), { code: 'EPERM' })))
        syncBuiltinESMExports()
      }
      try {
        const uploads = ['1', '2', '3'].map((text) => saving(new Pieces(body(file('a', text)), 10), save))
        const results = await Promise.allSettled(uploads)
        const winner = results.findIndex(({ status }) => status === 'fulfilled')
        assert.equal(await read('name'), String(winner + 1))
        assert.deepEqual(await files(), ['name'])
        for (const result of results) {
          if (result.status === 'rejected') assert.ok(result.reason instanceof HTTPConflict, String(result.reason))
        }
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
      } finally {
        t.mock.restoreAll()
        syncBuiltinESMExports()
      }
    })
  }

  it('lets the loop go on after a refusal that is caught', async () => {
    await writeFile(join(directory, 'name'), 'old')
    const rest = await saving(new Pieces(upload, 50), (part) => rejection(save(part)))
    assert.deepEqual(rest, ['b=2'])
  })
})

describe('FormFile.saveTo()', () => {
  const hello = new FormFile('f', 'a.txt', 'text/plain', [new Uint8Array([104, 195]), new Uint8Array([169])])

  it('writes the content to a file', async () => {
    await hello.saveTo(join(directory, 'new.txt'))
    assert.deepEqual([await files(), await read('new.txt')], [['new.txt'], 'hé'])
  })

  it('overwrites a file only with the option overwrite', async () => {
    const path = join(directory, 'old.txt')
    await writeFile(path, 'old')
    await assert.rejects(hello.saveTo(path), { code: 'EEXIST', status: 409 })
    assert.equal(await read('old.txt'), 'old')
    await hello.saveTo(path, { overwrite: true })
    assert.deepEqual([await files(), await read('old.txt')], [['old.txt'], 'hé'])
  })

  it('says on a runtime without files that the stream can be sent elsewhere', async (t) => {
    const original = process.getBuiltinModule
    t.after(() => Object.assign(process, { getBuiltinModule: original }))
    Object.assign(process, { getBuiltinModule: undefined })
    await assert.rejects(hello.saveTo('new.txt'), /saveTo\(\) requires node:fs.*Send the stream to a store instead/)
  })
})
