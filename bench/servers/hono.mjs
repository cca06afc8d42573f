import { serve } from '@hono/node-server'
import app from './hono-app.mjs'
import { ready, SERVER_OPTIONS } from './ready.mjs'

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', serverOptions: SERVER_OPTIONS }, ({ port }) => ready(port))
