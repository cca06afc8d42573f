/** The tables of the database and their columns, with which the compiler checks queries. Migrations create them. */
export interface Tables {
  /** The table of `config/session.ts`. `expires` is in milliseconds since 1970. */
  sessions: { id: string; data: string; expires: number }
  users: UsersTable
  tokens: TokensTable
}

/** `name_key` is the name in lower case, as the address is. `confirmed` is 0 or 1, `password` a hash. */
export interface UsersTable {
  id: string
  name: string
  name_key: string
  email: string
  confirmed: number
  password: string
  role: 'member' | 'admin'
  /** A random text that changes with the password, which ends the sessions. */
  stamp: string
}

/** `hash` is the SHA-256 of a token. `created` is in ISO 8601, `expires` in milliseconds since 1970. */
export interface TokensTable {
  id: string
  hash: string
  user_id: string
  kind: 'api' | 'reset' | 'confirm'
  name: string
  created: string
  expires: number
}
