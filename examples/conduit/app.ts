import { FrameworkApp, isUnavailable, type ProblemsOption } from 'propylon'
import { cors } from 'propylon/middleware'
import * as v from 'valibot'
import { map } from './config/routing.ts'

/** The form of errors that RealWorld specifies: lists of messages by field, with 422 for a body that is not valid. */
const problems: ProblemsOption = {
  invalid: 422,
  schema: v.object({ errors: v.record(v.string(), v.array(v.string())) }),
  body({ title, detail = title, errors = [{ name: 'body', detail }] }) {
    const lists: Record<string, string[]> = {}
    for (const { name, detail } of errors) {
      // `user.email` is the field `email`.
      const field = name.split('.').at(-1) || 'body'
      lists[field] = [...(lists[field] ?? []), detail]
    }
    return { errors: lists }
  },
}

/** The API of RealWorld (https://docs.realworld.show), which front ends of many frameworks call. */
export default new FrameworkApp({
  map,
  controllers: new URL('./controllers/', import.meta.url),
  problems,
  unavailable: isUnavailable,
  // The application has no cookies, so that pages of other sites can do nothing in the name of a visitor.
  crossSite: 'allow',
  middleware: [cors({ origins: '*' })],
  openapi: {
    title: 'Conduit',
    version: '1.0.0',
    under: 'api',
    securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
  },
})
