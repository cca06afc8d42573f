import { serve } from '@hono/node-server'
import app from './hono-app.mjs'
import { keepAliveTimeout, ready } from './ready.mjs'

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
if (keepAliveTimeout !== undefined) server.keepAliveTimeout = keepAliveTimeout
