import { serve } from '../../src/wsgi/node/index.ts'
import app from './propylon-app.ts'
import { ready } from './ready.mjs'

const { port } = await serve(app, { backlog: 1024 })
ready(port)
