import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'
import { publicFiles } from './lib/public_files.ts'

/** The application: what `npm start` serves and what the tests drive. */
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  debug: process.env.NODE_ENV !== 'production',
  errorPages: { 403: 'errors/403', 404: 'errors/404' },
  middleware: [publicFiles(new URL('./public/', import.meta.url))],
})
