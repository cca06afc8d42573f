import { FrameworkApp, Mapper } from '../../src/index.ts'
import { serve } from '../../src/wsgi/node/index.ts'
import { hooks } from './echo.mjs'
import { ready } from './ready.mjs'

const app = new FrameworkApp({ map: new Mapper(), controllers: {}, sockets: { '/echo': hooks } })
const { port } = await serve(app, { backlog: 1024 })
ready(port)
