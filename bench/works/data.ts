/** What all servers serve: the same users, the same template, the same rules for a form, the same stream. */

/** A user as the pages show one. */
export interface User {
  readonly name: string
  readonly full_name: string
  readonly email: string
  readonly link: string
}

const FIRST = ['Ann', 'Bob', 'Carla', 'Dieter', 'Eva', 'Frank', 'Grete', 'Hans', 'Ines', 'Jörg']
const LAST = ['O’Neill & Sons', 'Müller']

/** Twenty users, with characters that must be escaped and some that take two bytes. */
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

/** Ten resources with five routes each: the fifty routes. Each path is a collection's; its members lie below it. */
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

/** Those of which the servers know nothing but the routes. */
export const otherCollections: readonly string[] = collections.filter((name) => name !== 'users')

/** The page that lists the users, for Eta. */
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

/**
 * Why a form makes no user; undefined when all is well.
 *
 * @param field - a field of the form by its name.
 */
export function problemIn(field: (name: string) => string | null | undefined): string | undefined {
  const fullName = field('full_name') ?? ''
  const password = field('password') ?? ''
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(field('name') ?? '')) return 'name'
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}\.[a-z]{2,}$/i.test(field('email') ?? '')) return 'email'
  if (fullName.length < 1 || fullName.length > 200) return 'full_name'
  if (password.length < 8 || password.length > 1024) return 'password'
  return undefined
}

const CHUNK = new Uint8Array(64 * 1024).fill(120)

/** How many bytes {@link stream} yields. */
export const STREAM_LENGTH = 16 * CHUNK.length

/** One mebibyte in sixteen chunks, as it would come from a file or a database. */
export async function* stream(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 16; count++) yield CHUNK
}

/** How many bytes {@link largeStream} yields. */
export const LARGE_STREAM_LENGTH = 128 * CHUNK.length

/**
 * Eight mebibytes: more than the kernel's buffers of a connection take while its client does not read. Each chunk is one
 * of its own, as from a file, or reading ahead would cost nothing.
 */
export async function* largeStream(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 128; count++) yield CHUNK.slice()
}

/** The first states of the union, for the XML-RPC call. */
export const states: readonly string[] = ['Delaware', 'Pennsylvania', 'New Jersey', 'Georgia', 'Connecticut']
