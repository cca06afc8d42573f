/** Users and their browsers, for tests. */
import { hashCheaply } from 'propylon/passwords'
import { TestApp } from 'propylon/testing'
import app from '../app.ts'
import { type Mail, mailer } from '../lib/mail.ts'

hashCheaply()
mailer.send = async () => {}

let clients = 0

/** Returns a browser with an address of its own, so that the limit for an address concerns one test. */
export function browser(): TestApp {
  const environ = { REMOTE_ADDR: `10.0.0.${++clients}` }
  return new TestApp(app, { environ, headers: { accept: 'text/html' } })
}

/** Returns the fields of a user whom no other test has. */
export function someone() {
  const name = `user-${crypto.randomUUID().slice(0, 8)}`
  return { name, email: `${name}@example.com`, password: 'correct horse' }
}

/** Registers a user. The browser is signed in. */
export async function signedIn() {
  const [user, client] = [someone(), browser()]
  await client.post('/register', user, { status: 303 })
  return { user, client }
}

/** Resolves to the next mail. */
export function nextMail(): Promise<Mail> {
  return new Promise((resolve) => {
    mailer.send = async (mail) => resolve(mail)
  })
}
