import { node } from '@elysiajs/node'
import { elysia } from './elysia-app.mjs'
import { ready } from './ready.mjs'

// The adapter does not report the port that the system chose, so a free port is passed.
const port = Number(process.env.BENCH_PORT)
elysia(node()).listen({ port, hostname: '127.0.0.1' }, () => ready(port))
