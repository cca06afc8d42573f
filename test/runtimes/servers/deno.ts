import app from '../app.ts'

declare const Deno: { serve(options: object, handler: typeof app.fetch): unknown }

const onListen = ({ port }: { port: number }) => console.log(`http://127.0.0.1:${port}/`)
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, app.fetch)
