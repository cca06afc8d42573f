/** The tables and columns, with which the compiler checks queries. `migrations.ts` creates them. */
export interface Tables {
  pages: PagesTable
  versions: VersionsTable
  files: FilesTable
  users: UsersTable
}

/** Columns of a page and of each of its versions. */
interface Edit {
  id: string
  version: number
  content: string
  /** ISO 8601. */
  modified: string
  author: string
}

export interface PagesTable extends Edit {
  title: string
  /** Title and content in lower case, for the search. */
  search_text: string
}

export interface VersionsTable extends Edit {
  page_id: string
}

/** The attached files. Their content is `UPLOADS/{id}`. */
export interface FilesTable {
  id: string
  page_id: string
  name: string
  size: number
  type: string
  author: string
}

export interface UsersTable {
  /** The name in lower case, which is unique. */
  name_key: string
  name: string
  password: string
  role: string
  /** A random text: a user who is removed and registers again has another one. */
  stamp: string
}
