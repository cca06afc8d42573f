/** Measures requests through the application without a socket: dispatch, creation of controllers, hooks and promises. */
import { FrameworkApp, Mapper, WSGIController } from '../../src/index.ts'
import { createEnviron } from '../../src/wsgi/environ.ts'
import { plainReporting } from '../../src/wsgi/error-reporting.ts'
import { Exchange } from '../../src/wsgi/exchange.ts'
import type { Environ, StartResponse, WSGIApplication } from '../../src/wsgi/types.ts'
import { printTimings, type Timing, time, timeAsync } from './time.ts'

class PlainController extends WSGIController {
  index() {
    return 'Hello World'
  }
  show(id: string) {
    return id
  }
  object() {
    return { name: 'joe' }
  }
  header() {
    this.response.headers.set('X-Greeting', 'hello')
    return 'Hello World'
  }
  async later() {
    return 'Hello World'
  }
}

class HookedController extends PlainController {
  count = 0
  __before__() {
    this.count++
  }
  __after__() {
    this.count--
  }
}

class WaitingController extends PlainController {
  async __before__() {}
  async __after__() {}
}

function callable(_environ: Environ, start_response: StartResponse) {
  start_response('200 OK', [['Content-Type', 'text/plain']])
  return ['Hello World']
}

const { wsgi } = new FrameworkApp({
  map: new Mapper()
    .resource('user', 'users')
    .connect('/{controller}')
    .connect('/{controller}/{action}')
    .connect('/{controller}/{action}/{id}'),
  controllers: {
    plain: PlainController,
    hooked: HookedController,
    waiting: WaitingController,
    users: PlainController,
    callable,
  },
})

/** Returns a new environ, as a server creates for each request. */
function request(url: string): () => Environ {
  const model = createEnviron({ url })
  return () => ({ ...model })
}

function served(name: string, app: WSGIApplication, url: string): Timing {
  const environ = request(url)
  return time(name, () => new Exchange(environ(), plainReporting).run(app))
}

async function servedLater(name: string, url: string): Promise<Timing> {
  const environ = request(url)
  return timeAsync(name, async () => new Exchange(environ(), plainReporting).run(wsgi))
}

const copy = request('/plain')
printTimings('A request through the application, without a socket', [
  time('copying the environ (part of each below)', () => copy()),
  served('a WSGI callable alone', callable, '/'),
  served('a WSGI callable as a controller', wsgi, '/callable'),
  served('an action', wsgi, '/plain/index'),
  served('an action with an argument', wsgi, '/plain/show/7'),
  served('a member of a resource', wsgi, '/users/7'),
  served('an action that returns an object', wsgi, '/plain/object'),
  served('an action that sets a header', wsgi, '/plain/header'),
  served('an action between two hooks', wsgi, '/hooked/index'),
  served('not found', wsgi, '/unknown/index'),
  await servedLater('an async action', '/plain/later'),
  await servedLater('an action between two async hooks', '/waiting/index'),
])
