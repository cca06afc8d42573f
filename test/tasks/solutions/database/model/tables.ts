import type { Generated } from 'kysely'

/** The tables of the database and their columns, with which the compiler checks queries. Migrations create them. */
export interface Tables {
  sessions: SessionsTable
  notes: NotesTable
}

/** The table of `config/session.ts`. */
export interface SessionsTable {
  id: string
  data: string
  /** Milliseconds since 1970. */
  expires: number
}

/** The notes. */
export interface NotesTable {
  id: Generated<number>
  text: string
}
