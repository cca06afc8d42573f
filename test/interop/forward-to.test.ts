import { probe } from '../wsgi/proxy/probes.ts'
import { servers, startPrinting } from './server.ts'

probe("Python's wsgiref", async () => {
  const { url, stop } = await startPrinting('python3', `${servers}/old_application.py`)
  return { url: new URL(url).origin, hasChunks: false, isRaw: false, stop: async () => void (await stop()) }
})
