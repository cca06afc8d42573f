import assert from 'node:assert/strict'
import type { Task } from '../task.ts'

/**
 * `GET /hello/Joe` answers with the plain text `Hello, Joe!`, for any name in the place of `Joe`. The name may contain
 * blanks and characters of any language. A route with the name `hello` leads there.
 */
const task: Task = {
  async check({ visitor }) {
    const joe = await visitor().get('/hello/Joe')
    assert.equal(joe.status, 200)
    assert.equal(joe.contentType, 'text/plain')
    assert.equal(joe.text, 'Hello, Joe!')
    assert.equal((await visitor().get('/hello/J%C3%BCrgen%20%26%20Eve')).text, 'Hello, Jürgen & Eve!')
    assert.equal((await visitor().get('/hello/Joe/more')).status, 404)
  },
}

export default task
