// An application in one file. Open http://127.0.0.1:5000/hello/greet/joe
import { escapeHtml, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { serve } from 'propylon/node'

class HelloController extends WSGIController {
  /** GET /hello */
  index() {
    return 'Hello World'
  }

  /** GET /hello/greet and /hello/greet/ID */
  greet(id = 'world') {
    return `<h1>Hello, ${escapeHtml(id)}!</h1>`
  }
}

const app = new FrameworkApp({
  map: new Mapper()
    .connect('/{controller}', { action: 'index' })
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id}'),
  controllers: { hello: HelloController },
})

const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(`${server.url}/hello`)
