/** The tables of the database and their columns, with which the compiler checks queries. Migrations create them. */
export interface Tables {
  /** The table of `config/session.ts`. `expires` is in milliseconds since 1970. */
  sessions: { id: string; data: string; expires: number }
}
