/** The tables of the database and their columns, with which the compiler checks queries. Migrations create them. */
export interface Tables {
  sessions: SessionsTable
  recipes: RecipesTable
}

/** The table of `config/session.ts`. */
export interface SessionsTable {
  id: string
  data: string
  /** Milliseconds since 1970. */
  expires: number
}

export interface RecipesTable {
  /** Name in URLs: `apple-pie`. */
  name: string
  title: string
  text: string
  /** Increases with each change. */
  version: number
}
