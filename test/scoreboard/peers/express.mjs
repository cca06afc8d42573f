/** Express with its packages compression, cors and multer. */
import { buffer } from 'node:stream/consumers'
import compression from 'compression'
import cors from 'cors'
import express from 'express'
import multer from 'multer'
import { corsOptions, files, partsOf, policies, queryOf, ready, textOf } from './common.mjs'

const app = express().set('env', 'test')
app.use('/files', express.static(files, { fallthrough: false }))
app.post('/upload', multer({ defParamCharset: 'utf8' }).any(), (req, res) => {
  const uploaded = req.files.map(({ fieldname, originalname, mimetype, buffer: bytes }) => ({
    name: fieldname,
    filename: originalname,
    type: mimetype,
    bytes,
  }))
  res.send(partsOf(req.body, uploaded))
})
app.get('/negotiated', (req, res) => {
  const query = queryOf(req.url)
  const method = { type: 'accepts', language: 'acceptsLanguages', encoding: 'acceptsEncodings' }[
    query.get('of')
  ]
  res.type('text').send(req[method](query.getAll('offer')) || 'none')
})
for (const [name, policy] of Object.entries(policies)) {
  const middleware = cors(corsOptions(policy))
  const hello = (_req, res) => res.send('hello')
  const vary = (_req, res, next) => {
    res.vary('Foo')
    next()
  }
  // As its README says: preflights have a route of their own.
  app.options(`/cors/${name}`, middleware)
  app.get(`/cors/${name}`, vary, middleware, hello)
}
app.get('/compressed', compression(), (req, res) => {
  const { headers, body, chunks } = textOf(queryOf(req.url))
  res.set(headers)
  if (chunks === undefined) return res.send(body)
  for (const chunk of chunks) res.write(chunk)
  res.end()
})
app.use('/outside.txt', (_req, res) => res.sendStatus(404))
app.use(async (req, res) => res.type('text').send(await buffer(req)))

const server = app.listen(0, '127.0.0.1', () => ready(server.address().port))
