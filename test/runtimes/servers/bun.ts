import app from '../app.ts'

declare const Bun: { serve(options: object): { url: URL } }

console.log(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch, websocket: app.websocket }).url.href)
