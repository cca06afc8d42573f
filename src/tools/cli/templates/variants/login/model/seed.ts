// The data of a new database. `npm run seed` adds what is missing, so it may run again.
import { createUser, setRole } from './users.ts'

/** Adds an administrator for development, whose password everybody knows. */
export default async function seed(): Promise<void> {
  if (process.env.NODE_ENV === 'production') throw new Error('model/seed.ts has data for development only')
  await createUser({ name: 'ada', email: 'ada@example.com', password: 'correct horse' })
  await setRole('ada', 'admin')
}
