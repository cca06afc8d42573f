/** The tables of the database and their columns, with which the compiler checks queries. Migrations create them. */
export interface Tables {
  sessions: SessionsTable
  users: UsersTable
  tokens: TokensTable
}

/** The table of `config/session.ts`. */
export interface SessionsTable {
  id: string
  data: string
  /** Milliseconds since 1970. */
  expires: number
}

export interface UsersTable {
  id: string
  name: string
  /** The name in lower case, which is unique. */
  name_key: string
  /** The address in lower case, which is unique. */
  email: string
  /** 1 if the user has opened the link that was sent to the address, otherwise 0. */
  confirmed: number
  /** The hash of `hashPassword()`. */
  password: string
  role: 'member' | 'admin'
  /** A random text that changes with the password, which ends the sessions. */
  stamp: string
}

export interface TokensTable {
  id: string
  /** SHA-256 of the token, so that who reads the table cannot use it. */
  hash: string
  user_id: string
  kind: 'api' | 'reset' | 'confirm'
  /** The name by which the user knows the token of a program. */
  name: string
  /** A time in ISO 8601. */
  created: string
  /** Milliseconds since 1970. */
  expires: number
}
