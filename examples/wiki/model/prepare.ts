import { redis } from '../config/redis.ts'
import { settings } from '../config/settings.ts'
import { prepareUploads } from './files.ts'
import { migrate } from './migrations.ts'
import { createPage } from './pages.ts'
import { createUser } from './users.ts'

const WELCOME = `This is a wiki: everybody who is **signed in** can edit it.

1. Register, or sign in.
2. Write a page, and link to it from others.
3. Look at its history: nothing is lost.

| for | write |
|---|---|
| a link to a page | \`[[FrontPage]]\`, which is [[FrontPage]] |
| **strong** words | \`**strong**\` |
| an item of a list | \`- item\` |

> The text is [Markdown](https://commonmark.org/help/), without HTML.
`

/** Prepares what the wiki needs before it serves. */
export async function prepare(): Promise<void> {
  await named('DATABASE_URL', migrate)
  await named('UPLOADS', prepareUploads)
  await named('REDIS_URL', async () => redis?.connect())
  await createPage({ title: 'FrontPage', content: WELCOME, author: 'wiki' })
  if (settings.ADMIN_PASSWORD !== undefined) await createUser('admin', settings.ADMIN_PASSWORD, { role: 'admin' })
}

/** Names the setting to look at in the message of an error, in one line. */
async function named(setting: string, prepare: () => Promise<unknown>): Promise<void> {
  try {
    await prepare()
  } catch (cause) {
    // A refused connection has one error for each address.
    const errors = cause instanceof AggregateError && cause.message === '' ? cause.errors : [cause]
    const reason = errors.map((error) => (error instanceof Error ? error.message : error)).join('; ')
    throw new Error(`${setting} cannot be used: ${reason.replace(/\s+/g, ' ')}`, { cause })
  }
}
