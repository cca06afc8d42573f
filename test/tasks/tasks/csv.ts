import assert from 'node:assert/strict'
import type { Task } from '../task.ts'

/**
 * `GET /reports/export` answers with the lines `title,copies`, `Walden,3` and `"Emma, a novel",1` as `text/csv`, which
 * browsers save as `books.csv`.
 */
const task: Task = {
  async check({ visitor }) {
    const report = await visitor().get('/reports/export')
    assert.equal(report.contentType, 'text/csv')
    assert.match(report.headers.get('content-disposition') ?? '', /^attachment; filename="?books\.csv"?$/)
    assert.deepEqual(report.text.trimEnd().split(/\r?\n/), ['title,copies', 'Walden,3', '"Emma, a novel",1'])
  },
}

export default task
