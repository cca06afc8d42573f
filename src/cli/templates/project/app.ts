import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'
import { errorPages } from './lib/error_pages.ts'
import { publicFiles } from './lib/public_files.ts'

/** The application: what `npm start` serves and what the tests drive. */
const app: FrameworkApp = new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  debug: process.env.NODE_ENV !== 'production',
  middleware: [
    publicFiles(new URL('./public/', import.meta.url)),
    errorPages((name, values) => app.templates.render(name, values)),
  ],
})

export default app
