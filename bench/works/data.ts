/** Data that all servers share: users, the template, the schema of the form, and streams. */
import { z } from 'zod'

/** A user. */
export interface User {
  readonly name: string
  readonly full_name: string
  readonly email: string
  readonly link: string
}

const FIRST = ['Ann', 'Bob', 'Carla', 'Dieter', 'Eva', 'Frank', 'Grete', 'Hans', 'Ines', 'Jörg']
const LAST = ['O’Neill & Sons', 'Müller']

/** Twenty users, with characters that HTML escapes and some of two bytes in UTF-8. */
export const users: readonly User[] = LAST.flatMap((last, half) =>
  FIRST.map((first, index) => {
    const name = `user${half * FIRST.length + index + 1}`
    return {
      name,
      full_name: `${first} ${last}`,
      email: `${name}@example.org`,
      link: `http://127.0.0.1/users/${name}`,
    }
  }),
)

const byName: ReadonlyMap<string, User> = new Map(users.map((user) => [user.name, user]))

export function findUser(name: string | undefined): User | undefined {
  return name === undefined ? undefined : byName.get(name)
}

/** Paths of ten resources with five routes each, which makes fifty routes. */
export const collections: readonly string[] = [
  'albums',
  'articles',
  'comments',
  'invoices',
  'orders',
  'photos',
  'posts',
  'products',
  'tags',
  'users',
]

/** Resources that have routes but are never requested. */
export const otherCollections: readonly string[] = collections.filter((name) => name !== 'users')

/** Eta template of the page that lists the users. */
export const usersTemplate = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Users</title></head>
<body>
<h1>Users (<%= it.users.length %>)</h1>
<ul>
<% for (const user of it.users) { %>
  <li><a href="/users/<%= user.name %>"><strong><%= user.full_name %></strong></a> <<%= user.email %>></li>
<% } %>
</ul>
</body>
</html>
`

/** Schema of the form, which all servers check it by. */
export const UserForm = z.object({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  email: z.string().regex(/^[^\s@]{1,64}@[^\s@]{1,190}\.[a-z]{2,}$/i),
  full_name: z.string().min(1).max(200),
  password: z.string().min(8).max(1024),
})

/** A valid form. */
export const formOfUser = new URLSearchParams({
  name: 'joe',
  full_name: 'Joe Müller & Sons',
  email: 'joe@example.org',
  password: 'correct horse',
}).toString()

const CHUNK = new Uint8Array(64 * 1024).fill(120)

/** Length of {@link stream}, in bytes. */
export const STREAM_LENGTH = 16 * CHUNK.length

/** Yields 1 MiB in sixteen chunks. */
export async function* stream(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 16; count++) yield CHUNK
}

/** Length of {@link largeStream}, in bytes. */
export const LARGE_STREAM_LENGTH = 128 * CHUNK.length

/**
 * Yields 8 MiB, which is more than the kernel buffers for a client that does not read. Each chunk is a new buffer, as
 * when reading a file; otherwise buffered chunks would need no memory.
 */
export async function* largeStream(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 128; count++) yield CHUNK.slice()
}

/** The first five US states, for the XML-RPC call. */
export const states: readonly string[] = ['Delaware', 'Pennsylvania', 'New Jersey', 'Georgia', 'Connecticut']
