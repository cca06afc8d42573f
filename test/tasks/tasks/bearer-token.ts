import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Task } from '../task.ts'

/**
 * `GET /reports` answers with the JSON `[{"title":"Rainfall"}]` to programs that send `Authorization: Bearer TOKEN`,
 * where TOKEN is the environment variable `REPORTS_TOKEN`. Anyone else receives 401 with the header `WWW-Authenticate:
 * Bearer`. The guard holds for every action that the controller will ever have. Compare the tokens in constant time.
 */
const task: Task = {
  env: { REPORTS_TOKEN: 'a-token-of-the-check' },
  async check({ visitor, folder }) {
    const { REPORTS_TOKEN } = process.env
    const right = await visitor().get('/reports', { headers: { authorization: `Bearer ${REPORTS_TOKEN}` } })
    assert.deepEqual(right.json(), [{ title: 'Rainfall' }])
    for (const authorization of [undefined, 'Bearer ', 'Bearer wrong', `Basic ${REPORTS_TOKEN}`]) {
      const headers = authorization === undefined ? {} : { authorization }
      const wrong = await visitor().get('/reports', { headers })
      assert.equal(wrong.status, 401)
      assert.match(wrong.headers.get('www-authenticate') ?? '', /^Bearer/)
    }
    const sources = await Promise.all(
      (await readdir(folder, { recursive: true }))
        .filter((path) => /^(?:controllers|lib)\/.*\.ts$/.test(path))
        .map((path) => readFile(join(folder, path), 'utf8')),
    )
    assert.match(sources.join('\n'), /safeEqual|timingSafeEqual/)
  },
}

export default task
