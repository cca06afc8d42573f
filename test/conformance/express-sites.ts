/**
 * Applications of Express that behave as the examples in its repository, of which its acceptance tests are. They are written
 * anew, without template engines and packages besides Express and its sessions.
 */
import { basename, join } from 'node:path'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import session from 'express-session'

/** An error with the status of its response. */
function failure(status: number, message: string): Error {
  return Object.assign(new Error(message), { status })
}

/** An application whose own error handler does not print. */
function quiet(): Express {
  return express().set('env', 'test')
}

const respond: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).send({ error: error.message })
}

function helloWorld(): Express {
  return quiet().get('/', (_req, res) => void res.send('Hello World'))
}

function errors(): Express {
  const app = quiet()
  app.get('/', () => {
    throw new Error('something broke')
  })
  app.get('/next', (_req, _res, next) => void process.nextTick(() => next(new Error('oh no'))))
  return app.use(respond)
}

function errorPages(): Express {
  const app = quiet()
  app.get('/', (_req, res) => void res.send('<h1>Pages Example</h1>'))
  app.get('/403', (_req, _res, next) => next(failure(403, 'not allowed')))
  app.get('/500', (_req, _res, next) => next(new Error('keyboard')))
  app.use((_req: Request, res: Response) => {
    res.status(404).format({
      html: () => res.send('<h1>Not found</h1>'),
      json: () => res.json({ error: 'Not found' }),
      default: () => res.type('txt').send('Not found'),
    })
  })
  return app.use(respond)
}

function params(): Express {
  const names = ['tj', 'tobi', 'loki', 'jane', 'bandit']
  const app = quiet()
  app.param(['from', 'to'], (req, _res, next, text: string, name: string) => {
    const number = Number.parseInt(text, 10)
    req.params[name] = String(number)
    next(Number.isNaN(number) ? failure(400, `failed to parseInt ${text}`) : undefined)
  })
  app.param('user', (_req, _res, next, id: string) =>
    next(names[Number(id)] === undefined ? failure(404, 'failed to find user') : undefined),
  )
  app.get('/', (_req, res) => void res.send('Visit /user/0 or /users/0-2'))
  app.get('/user/:user', (req, res) => void res.send(`user ${names[Number(req.params.user)]}`))
  app.get('/users/:from-:to', ({ params: { from, to } }, res) => {
    res.send(`users ${names.slice(Number(from), Number(to) + 1).join(', ')}`)
  })
  return app.use(respond)
}

function resource(): Express {
  const users: ({ name: string } | undefined)[] = ['tj', 'ciaran', 'aaron', 'guillermo', 'simon', 'tobi'].map(
    (name) => ({ name }),
  )
  const app = quiet()
  app.get('/', (_req, res) => void res.send('<h1>Examples:</h1>'))
  app.get('/users', (_req, res) => void res.send(users))
  app.get('/users/:a..:b{.:format}', ({ params: { a, b, format } }, res) => {
    const range = users.slice(Number(a), Number(b) + 1)
    res.send(format === 'json' ? range : `<ul>${range.map((user) => `<li>${user?.name}</li>`).join('\n')}</ul>`)
  })
  app.get('/users/:id', (req, res) => void res.send(users[Number(req.params.id)] ?? { error: 'Cannot find user' }))
  app.delete('/users/:id', (req, res) => {
    const id = Number(req.params.id)
    const isThere = users[id] !== undefined
    if (isThere) users[id] = undefined
    res.send(isThere ? 'destroyed' : 'Cannot find user')
  })
  return app
}

function routeMap(): Express {
  const app = quiet()
  app
    .route('/users')
    .get((_req, res) => void res.send('user list'))
    .delete((_req, res) => void res.send('delete users'))
  app.get('/users/:uid', (req, res) => void res.send(`user ${req.params.uid}`))
  app.get('/users/:uid/pets', (req, res) => void res.send(`user ${req.params.uid}'s pets`))
  app.delete('/users/:uid/pets/:pid', ({ params: { uid, pid } }, res) => {
    res.send(`delete ${uid}'s pet ${pid}`)
  })
  return app
}

function multiRouter(): Express {
  const app = quiet()
  for (const version of ['v1', 'v2']) {
    const router = express.Router()
    router.get('/', (_req, res) => void res.send(`Hello from API${version} root route.`))
    router.get('/users', (_req, res) => void res.send(`List of API${version} users.`))
    app.use(`/api/${version}`, router)
  }
  return app.get('/', (_req, res) => void res.send('Hello from root route.'))
}

function contentNegotiation(): Express {
  const names = ['Tobi', 'Loki', 'Jane']
  const list = (_req: Request, res: Response) => {
    res.format({
      html: () => res.send(`<ul>${names.map((name) => `<li>${name}</li>`).join('')}</ul>`),
      text: () => res.send(names.map((name) => ` - ${name}\n`).join('')),
      json: () => res.json(names.map((name) => ({ name }))),
    })
  }
  return quiet().get('/', list).get('/users', list)
}

function cookies(): Express {
  const app = quiet().use(express.urlencoded())
  app.get('/', (req, res) => {
    res.send(/\bremember=1/.test(req.get('Cookie') ?? '') ? 'Remembered' : '<form method="post"></form>')
  })
  app.get('/forget', (req, res) => res.clearCookie('remember').redirect(req.get('Referrer') ?? '/'))
  app.post('/', (req, res) => {
    if (req.body?.remember !== undefined) res.cookie('remember', 1, { maxAge: 60_000 })
    res.redirect(req.get('Referrer') ?? '/')
  })
  return app
}

declare module 'express-session' {
  interface SessionData {
    views: number
    user: string
    error: string
  }
}

function sessions(): Express {
  const app = quiet().use(session({ secret: 'manny is cool', resave: false, saveUninitialized: false }))
  return app.get('/', (req, res) => {
    req.session.views = (req.session.views ?? 0) + 1
    res.send(`viewed ${req.session.views} times\n`)
  })
}

function auth(): Express {
  const app = quiet().use(
    express.urlencoded(),
    session({ secret: 'very secret', resave: false, saveUninitialized: false }),
  )
  app.get('/', (_req, res) => res.redirect('/login'))
  app.get('/login', ({ session: { error = '' } }, res) => void res.send(`${error}<form method="post"></form>`))
  app.post('/login', (req, res, next) => {
    const { username, password } = req.body
    if (username === 'tj' && password === 'foobar') {
      req.session.regenerate((error) => {
        if (error) return next(error)
        req.session.user = 'tj'
        res.redirect('/')
      })
      return
    }
    req.session.error = 'Authentication failed'
    res.redirect('/login')
  })
  app.get('/logout', (req, res) => void req.session.destroy(() => res.redirect('/')))
  app.get('/restricted', (req, res) => {
    if (req.session.user === undefined) return res.redirect('/login')
    res.send('Wahoo! restricted area')
  })
  return app
}

function downloads(folder: string): Express {
  const app = quiet()
  app.get('/', (_req, res) => void res.send('<a href="/files/amazing.txt">amazing.txt</a>'))
  app.get('/files/*file', (req, res, next) => {
    const name = req.params.file.join('/')
    res.download(name, basename(name), { root: join(folder, 'files') }, (error) => {
      if (error) next(error)
    })
  })
  return app.use(respond)
}

/** An application that matches hosts by itself, as the package vhost does. */
function vhost(): Express {
  const main = quiet()
  main.get('/', (_req, res) => void res.send('Hello from main app!'))
  main.get('/:sub', (req, res) => void res.send(`requested ${req.params.sub}`))
  return quiet().use((req: Request, res: Response, next) => {
    if (req.hostname === 'example.com') return main(req, res, next)
    const [, sub] = /^(.+)\.example\.com$/.exec(req.hostname) ?? []
    return sub === undefined ? next() : res.redirect(`http://example.com:3000/${sub}`)
  })
}

function webService(): Express {
  const keys = ['foo', 'bar', 'baz']
  const express_ = { name: 'express', url: 'https://github.com/expressjs/express' }
  const stylus = { name: 'stylus', url: 'https://github.com/learnboost/stylus' }
  const ofUsers = new Map([
    ['tobi', [express_, stylus]],
    ['loki', [stylus]],
  ])
  const app = quiet()
  app.use('/api', (req, _res, next) => {
    const key = req.query['api-key']
    if (key === undefined) return next(failure(400, 'api key required'))
    next(keys.includes(String(key)) ? undefined : failure(401, 'invalid api key'))
  })
  app.get('/api/users', (_req, res) => void res.send(['tobi', 'loki', 'jane'].map((name) => ({ name }))))
  app.get('/api/repos', (_req, res) => void res.send([express_, stylus]))
  app.get('/api/user/:name/repos', (req, res, next) => {
    const repos = ofUsers.get(req.params.name)
    if (repos === undefined) return next()
    res.send(repos)
  })
  app.use(respond)
  return app.use((_req: Request, res: Response) => void res.status(404).send({ error: "Sorry, can't find that" }))
}

function routeSeparation(): Express {
  const users = [
    { name: 'TJ', email: 'tj@vision-media.ca' },
    { name: 'Tobi', email: 'tobi@vision-media.ca' },
  ]
  const app = quiet()
  app.use((req, _res, next) => {
    if (req.method === 'POST' && req.query._method !== undefined) req.method = String(req.query._method)
    next()
  })
  app.use(express.urlencoded({ extended: true }))
  app.get('/', (_req, res) => void res.send('Route Separation Example'))
  app.get('/users', (_req, res) => void res.send(users.map(({ name }) => name).join(', ')))
  app.get('/posts', (_req, res) => void res.send('Posts'))
  app.all('/user/:id{/:op}', (req, _res, next) =>
    next(users[Number(req.params.id)] === undefined ? failure(404, 'cannot find user') : undefined),
  )
  app.get(['/user/:id', '/user/:id/view'], (req, res) => {
    const user = users[Number(req.params.id)]
    res.send(`Viewing user ${user?.name} ${user?.email}`)
  })
  app.get('/user/:id/edit', (req, res) => void res.send(`Editing user ${users[Number(req.params.id)]?.name}`))
  app.put('/user/:id/edit', (req, res) => {
    Object.assign(users[Number(req.params.id)] ?? {}, req.body.user)
    res.redirect(req.get('Referrer') ?? '/')
  })
  return app.use(respond)
}

/** Applications by the name of the example. Downloads have a folder. */
export const SITES: Readonly<Record<string, (folder: string) => Express>> = {
  auth,
  'content-negotiation': contentNegotiation,
  'cookie-sessions': sessions,
  cookies,
  downloads,
  error: errors,
  'error-pages': errorPages,
  'hello-world': helloWorld,
  'multi-router': multiRouter,
  params,
  resource,
  'route-map': routeMap,
  'route-separation': routeSeparation,
  vhost,
  'web-service': webService,
}
