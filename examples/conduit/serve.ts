import { serve } from 'propylon/node'
import app from './app.ts'
import { createTables } from './migrations/tables.ts'
import { database } from './model/database.ts'

await createTables(database)
app.onShutdown(() => database.destroy())
const { HOST: host = '127.0.0.1', PORT: port = 5000 } = process.env
const server = await serve(app, { host, port: Number(port) })
console.log(`Conduit is at ${server.url}/api`)
