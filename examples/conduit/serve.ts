import { serve } from 'propylon/node'
import app from './app.ts'
import { createTables } from './migrations/tables.ts'
import { database } from './model/database.ts'

await createTables(database)
app.onShutdown(() => database.destroy())
const server = await serve(app, {
  host: process.env.HOST || '127.0.0.1',
  port: Number(process.env.PORT || 5000),
  signals: true,
})
console.log(`Conduit is at ${server.url}/api`)
