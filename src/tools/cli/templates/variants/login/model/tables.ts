/** The tables of the database and their columns, with which the compiler checks queries. Migrations create them. */
export interface Tables {
  sessions: SessionsTable
  users: UsersTable
  reset_tokens: ResetTokensTable
  api_tokens: ApiTokensTable
}

/** The table of `config/session.ts`. */
export interface SessionsTable {
  id: string
  data: string
  /** Milliseconds since 1970. */
  expires: number
}

/** The users. */
export interface UsersTable {
  id: string
  /** The name as the user writes it. */
  name: string
  /** The name in lower case, which is unique. */
  name_key: string
  /** The address in lower case, which is unique. */
  email: string
  /** The hash of `hashPassword()`. */
  password: string
  role: 'member' | 'admin'
  /** A random text that changes with the password. */
  stamp: string
}

/** The tokens with which users set a new password. */
export interface ResetTokensTable {
  /** SHA-256 of the token, so that who reads the table cannot use it. */
  hash: string
  user_id: string
  /** Milliseconds since 1970. */
  expires: number
}

/** The tokens with which programs act for a user. */
export interface ApiTokensTable {
  id: string
  /** SHA-256 of the token. */
  hash: string
  user_id: string
  /** The name by which the user knows the token. */
  name: string
  /** The time of its creation in ISO 8601. */
  created: string
}
