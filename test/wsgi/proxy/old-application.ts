/** An application of Express that stands for the old one behind `forwardTo`. `test/interop/servers/old_application.py` is the same in Python. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import express from 'express'

/** The description of a request. */
export interface Echo {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly length: number
  readonly sha256: string
}

/** Creates the application. `POST /release` continues the streams that wait. */
export function oldApplication() {
  const waiting: (() => void)[] = []
  let aborted = 0
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.get('/cookies', (_req, res) => {
    res.append('Set-Cookie', 'a=1; Path=/; HttpOnly')
    res.append('Set-Cookie', 'b="2, 3"; Expires=Wed, 01 Jan 2031 00:00:00 GMT')
    res.type('text').send('cookies')
  })
  app.all('/redirect', (req, res) => void res.redirect(303, `http://${req.headers.host}/elsewhere`))
  app.get('/gzip', (_req, res) => {
    res.set({ 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' }).end(gzipSync('packed'))
  })
  app.get('/nothing', (_req, res) => void res.status(204).end())
  app.get('/unchanged', (_req, res) => void res.status(304).set('ETag', '"1"').end())
  app.get('/error', (_req, res) => void res.status(500).type('text').send('broken'))
  app.get('/large', (_req, res) => {
    res.set('Content-Length', String(20 * 2 ** 20))
    for (let piece = 0; piece < 320; piece += 1) res.write(Buffer.alloc(65_536, 97))
    res.end()
  })
  app.get('/events', async (_req, res) => {
    res.set('Content-Type', 'text/event-stream').write('data: 1\n\n')
    await new Promise<void>((resolve) => waiting.push(resolve))
    res.end('data: 2\n\n')
  })
  app.get('/silent', (req, res) => {
    res.set('Content-Type', 'text/event-stream').write('data: 1\n\n')
    req.on('close', () => {
      aborted += 1
    })
  })
  app.get('/broken', (_req, res) => {
    res.set('Content-Length', '100').write('part')
    setImmediate(() => res.socket?.destroy())
  })
  app.post('/release', (_req, res) => {
    for (const resolve of waiting.splice(0)) resolve()
    res.end()
  })
  app.get('/aborted', (_req, res) => void res.type('text').send(String(aborted)))
  app.use(async (req, res) => {
    const hash = createHash('sha256')
    let length = 0
    for await (const piece of req) {
      hash.update(piece)
      length += piece.length
    }
    const [path, query = ''] = req.originalUrl.split('?')
    const { host, connection, ...headers } = req.headers
    res.json({ method: req.method, path, query, host, headers, length, sha256: hash.digest('hex') })
  })
  return app
}
