import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PROGRAM, type Task } from '../task.ts'

/**
 * `POST /photos` takes a multipart form with the text `title` and the file `photo`, of at most 100,000 bytes. It keeps
 * the file in `var/photos/` under a name that the client cannot choose, and answers programs with status 200 and the
 * JSON `{"title":…,"size":…}`, the number of bytes. A missing or larger photo is status 400 with an error for the
 * field `photo`. Large uploads are not held in memory.
 */
const task: Task = {
  async check({ visitor, folder }) {
    const client = visitor(PROGRAM)
    const form = (bytes: number) => {
      const data = new FormData()
      data.append('title', 'A cat')
      if (bytes > 0) data.append('photo', new File([new Uint8Array(bytes)], '../../cat.bin'))
      return data
    }
    const photos = join(folder, 'var/photos')
    // The tests of the project may have left some.
    for (const name of await readdir(photos).catch(() => [])) await rm(join(photos, name))
    const kept = await client.post('/photos', form(70_000))
    assert.equal(kept.status, 200)
    assert.deepEqual(kept.json(), { title: 'A cat', size: 70_000 })
    const files = await readdir(photos)
    assert.equal(files.length, 1)
    assert.doesNotMatch(files[0] ?? '', /cat/)
    for (const size of [0, 100_001]) {
      const refused = await client.post('/photos', form(size))
      assert.equal(refused.status, 400)
      const { errors } = refused.json<{ errors: readonly { name: string }[] }>()
      assert.deepEqual(
        errors.map(({ name }) => name),
        ['photo'],
      )
    }
    assert.equal((await readdir(photos)).length, 1)
  },
}

export default task
