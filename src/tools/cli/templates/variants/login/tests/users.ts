/** Users and their browsers, for tests. */
import assert from 'node:assert/strict'
import { hashCheaply } from 'propylon/passwords'
import { TestApp } from 'propylon/testing'
import app from '../app.ts'
import { mailer } from '../lib/mail.ts'

hashCheaply()
mailer.send = async () => {}

export const PAGE = { headers: { accept: 'text/html' } }

/** Returns a client with an address of its own, so that the limit for an address concerns one test. */
export function browser(): TestApp {
  clients += 1
  return new TestApp(app, { environ: { REMOTE_ADDR: `10.0.${clients >> 8}.${clients & 255}` }, ...PAGE })
}
let clients = 0

/** Returns a user whom no other test has. */
export function someone() {
  const name = `user-${crypto.randomUUID().slice(0, 8)}`
  return { name, email: `${name}@example.com`, password: 'correct horse' }
}

/** Registers a user. */
export async function registered() {
  const user = someone()
  assert.equal((await browser().post('/register', user)).status, 303)
  return user
}

/** Registers a user and signs in. */
export async function signedIn() {
  const user = await registered()
  const client = browser()
  assert.equal((await client.post('/login', user)).status, 303)
  return { user, client }
}
