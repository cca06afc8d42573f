import { serve } from 'propylon/node'
import app from '../app.ts'

const server = await serve(app, { port: 0 })
console.log(server.url)
