import assert from 'node:assert/strict'
import { BROWSER, PROGRAM, type Task } from '../task.ts'

/**
 * `GET /books` shows the books Walden (id 1, on shelf B 12) and Emma (id 2, on shelf A 3). Browsers receive a page
 * within the layout of the site, with an `<li>` for each book, which has its title and its shelf. Programs receive the
 * JSON `[{"id":1,"title":"Walden"},…]`, without the shelves.
 */
const task: Task = {
  async check({ visitor }) {
    const page = await visitor(BROWSER).get('/books')
    assert.equal(page.contentType, 'text/html')
    const items = page.html.findAll('li').map(({ text }) => text)
    assert.equal(items.length, 2)
    assert.match(items[0] ?? '', /Walden.*B 12/)
    assert.ok(page.html.find('link[rel=stylesheet]'), 'the page has the layout')
    const json = await visitor(PROGRAM).get('/books')
    assert.deepEqual(json.json(), [
      { id: 1, title: 'Walden' },
      { id: 2, title: 'Emma' },
    ])
  },
}

export default task
