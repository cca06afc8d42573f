import assert from 'node:assert/strict'
import { BROWSER, PROGRAM, type Task } from '../task.ts'

/**
 * Browsers that ask for an unknown URL see a page within the layout of the site with status 404, the heading `We lost
 * this page` and a link to `/`. Programs still receive a problem document.
 */
const task: Task = {
  async check({ visitor }) {
    const page = await visitor({ ...BROWSER, errors: 'page' }).get('/no/such/page/here')
    assert.equal(page.status, 404)
    assert.equal(page.html.find('h1')?.text, 'We lost this page')
    assert.ok(page.html.find('main a[href="/"]'), 'the page has a link to /')
    assert.ok(page.html.find('link[rel=stylesheet]'), 'the page has the layout')
    const problem = await visitor({ ...PROGRAM, errors: 'page' }).get('/no/such/page/here')
    assert.deepEqual([problem.status, problem.contentType], [404, 'application/problem+json'])
  },
}

export default task
