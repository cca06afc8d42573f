/** Publishes numbers to a channel, several at a time, and prints their ids: node publisher.ts redis|postgres URL NAME COUNT */
import pg from 'pg'
import { channel } from 'propylon/events'
import { createClient } from 'redis'

const [kind, url = '', name = '', count] = process.argv.slice(2)
const redis = kind === 'redis' ? await createClient({ url }).connect() : undefined
const postgres = kind === 'postgres' ? new pg.Pool({ connectionString: url, max: 5 }) : undefined
const numbers = channel<number>(name, redis === undefined ? { postgres } : { redis })
const ids = await Promise.all(Array.from({ length: Number(count) }, (_, n) => numbers.publish({ data: n })))
console.log(JSON.stringify(ids))
redis?.destroy()
await postgres?.end()
