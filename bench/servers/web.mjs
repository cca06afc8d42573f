// Serves a fetch handler on Bun or Deno: web.mjs bare|hono|elysia|propylon
import { ready } from './ready.mjs'

const apps = {
  bare: () => import('./web-bare.mjs').then((module) => module.default),
  hono: () => import('./hono-app.mjs').then((module) => module.default),
  elysia: () => import('./elysia-app.mjs').then((module) => module.elysia()),
  propylon: () => import('./propylon-app.ts').then((module) => module.default),
}
const name = process.argv[2]
const app = await apps[name]()

if (globalThis.Bun === undefined) {
  Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: ({ port }) => ready(port) }, app.fetch)
} else if (name === 'elysia') {
  app.listen({ port: 0, hostname: '127.0.0.1' }, ({ port }) => ready(port))
} else {
  ready(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch }).port)
}
