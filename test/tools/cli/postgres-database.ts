import pg from 'pg'

/** A database on a PostgreSQL server for one test file. */
export interface TestDatabase {
  readonly url: string
  create(): Promise<void>
  drop(): Promise<void>
}

/** Returns a database with a name of its own on a server. */
export function postgresDatabase(server: string): TestDatabase {
  const name = `propylon_${crypto.randomUUID().replaceAll('-', '')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  return {
    url: url.href,
    create: () => run(`create database ${name}`),
    drop: () => run(`drop database ${name} with (force)`),
  }
}
