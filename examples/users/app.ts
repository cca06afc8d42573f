import { FrameworkApp } from 'propylon'
import { map } from './config/routing.ts'

export { map }

export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  templates: new URL('./templates/', import.meta.url),
  public: new URL('./public/', import.meta.url),
  debug: process.env.NODE_ENV === 'development',
})
