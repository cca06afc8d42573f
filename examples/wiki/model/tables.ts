/** The tables of the database and their columns, with which the compiler checks queries. `migrations/` creates them. */
export interface Tables {
  pages: PagesTable
  versions: VersionsTable
  files: FilesTable
  changes: ChangesTable
  counters: CountersTable
  users: UsersTable
}

/** The pages, each with its current version. */
export interface PagesTable {
  id: string
  title: string
  version: number
  content: string
  /** ISO 8601, as all times here. */
  modified: string
  author: string
  /** Title and content in lower case, for the search. */
  search_text: string
}

/** All versions of all pages. */
export interface VersionsTable {
  id: string
  page_id: string
  version: number
  content: string
  modified: string
  author: string
}

/** The attached files, whose content is `UPLOADS/{id}`. */
export interface FilesTable {
  id: string
  page_id: string
  name: string
  size: number
  type: string
  author: string
}

/** The latest changes, for clients of `/events` that reconnect. */
export interface ChangesTable {
  id: number
  title: string
  version: number
  author: string
}

/** Numbers that grow. */
export interface CountersTable {
  name: string
  value: number
}

/** The users. */
export interface UsersTable {
  /** The name as the user writes it. */
  name: string
  /** The name in lower case, which is unique. */
  name_key: string
  /** The hash of `model/password.ts`. */
  password: string
  role: string
  /** A random text: a user who is removed and registers again has another one. */
  stamp: string
}
