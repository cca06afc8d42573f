import assert from 'node:assert/strict'
import { BROWSER, type Task } from '../task.ts'

/**
 * `GET /notes` is a page with a form that has one field, `text`, and posts to `/notes`. A POST with a text redirects
 * to `/notes` with status 303, and the page then shows `Saved: TEXT` once, in an element with the class `flash`. The
 * text is escaped. An empty text shows the form again with status 400 and the message `Please enter a text`.
 */
const task: Task = {
  async check({ visitor }) {
    const browser = visitor(BROWSER)
    const page = await browser.get('/notes')
    assert.equal(page.html.find('.flash'), undefined)
    const sent = await page.form().fill({ text: 'tea & <b>milk</b>' }).submit()
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/notes'])
    assert.equal((await browser.get('/notes')).html.find('.flash')?.text, 'Saved: tea & <b>milk</b>')
    assert.equal((await browser.get('/notes')).html.find('.flash'), undefined)
    const wrong = await (await browser.get('/notes')).form().submit()
    assert.equal(wrong.status, 400)
    wrong.mustContain('Please enter a text')
    assert.ok(wrong.form().fields.includes('text'))
  },
}

export default task
