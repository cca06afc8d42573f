import '../database.ts'
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { TestApp } from 'propylon/testing'
import app from '../../app.ts'
import { database } from '../../config/database.ts'

const PIE = { name: 'apple-pie', title: 'Apple pie', text: 'Slice six apples.' }
const browser = new TestApp(app, { headers: { Accept: 'text/html' } })
const program = new TestApp(app, { headers: { Accept: 'application/json' } })

beforeEach(async () => {
  await database.deleteFrom('recipes').execute()
  await program.postJson('/recipes', PIE, { status: 201 })
})

test('the list leads to a recipe', async () => {
  const page = await (await browser.get('/recipes')).click('Apple pie')
  assert.equal(page.html.find('h1')?.text, 'Apple pie')
})

test('the list is JSON for programs', async () => {
  assert.deepEqual((await program.get('/recipes')).json(), [{ ...PIE, version: 1 }])
  assert.deepEqual((await browser.get('/recipes.json')).json(), [{ ...PIE, version: 1 }])
})

test('a visitor creates a recipe', async () => {
  const form = (await browser.get('/recipes/new')).form()
  const created = await form.fill({ name: 'pear-pie', title: 'Pear pie', text: '' }).submit()
  assert.equal(created.status, 303)
  assert.equal((await created.follow()).html.find('h1')?.text, 'Pear pie')
})

test('a wrong form is shown again with the message and what was typed', async () => {
  const form = (await browser.get('/recipes/new')).form()
  const refused = await form.fill({ name: 'Pear Pie', title: 'Pear pie' }).submit()
  assert.equal(refused.status, 400)
  assert.equal(refused.html.find('.error')?.text, 'Use small letters, digits and dashes')
  assert.equal(refused.form().get('name'), 'Pear Pie')
})

test('a name that is taken is 409', async () => {
  const refused = await program.postJson('/recipes', PIE)
  assert.equal(refused.status, 409)
  assert.deepEqual(refused.json<{ errors: object }>().errors, [{ name: 'name', detail: 'is taken' }])
})

test('a visitor changes the name of a recipe', async () => {
  const form = (await browser.get('/recipes/apple-pie/edit')).form()
  const saved = await form.set('name', 'pie').submit()
  assert.equal(saved.status, 303)
  assert.equal((await browser.get('/recipes/pie')).status, 200)
  assert.equal((await browser.get('/recipes/apple-pie')).status, 404)
})

test('a change of an old version is refused', async () => {
  const change = { ...PIE, text: 'Slice eight apples.' }
  const headers = { 'If-Match': '"v1"' }
  assert.equal((await program.putJson('/recipes/apple-pie', change, { headers })).status, 200)
  assert.equal((await program.putJson('/recipes/apple-pie', change, { headers })).status, 412)
})

test('a visitor deletes a recipe', async () => {
  const deleted = await (await browser.get('/recipes/apple-pie')).form().submit()
  assert.equal(deleted.status, 303)
  assert.equal((await browser.get('/recipes/apple-pie')).status, 404)
})
