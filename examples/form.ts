// A guest book: a form, its validation, and a redirect after it was accepted.
import { done, FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { serve } from 'propylon/node'
import * as v from 'valibot'

const Entry = v.object({
  name: v.pipe(v.string(), v.trim(), v.minLength(2, 'Please enter two letters or more')),
  text: v.pipe(v.string(), v.trim(), v.minLength(1, 'Please write something'), v.maxLength(500)),
})

type Entry = v.InferOutput<typeof Entry>
const entries: Entry[] = []

class EntriesController extends WSGIController {
  // A form with errors is shown again by index(), with status 400, its values and messages.
  static args = { create: { entry: body(Entry, { form: 'index' }) } }
  static pages = { index: 'index' }

  /** GET / */
  index() {
    return entries
  }

  /** POST / */
  create(entry: Entry) {
    entries.unshift(entry)
    return done(this.url('entries'))
  }
}

const index = `<!doctype html>
<title>Guest book</title>
<form method="post">
  <p><label>Name <input name="name" value="<%= it.c.formValues?.name %>"></label> <%= it.c.formErrors?.name %></p>
  <p><label>Text <textarea name="text"><%= it.c.formValues?.text %></textarea></label> <%= it.c.formErrors?.text %></p>
  <button>Sign</button>
</form>
<% for (const { name, text } of it.result) { %><p><b><%= name %></b>: <%= text %></p><% } %>`

const app = new FrameworkApp({
  map: new Mapper()
    .connect('entries', '/', { controller: 'entries', action: 'index', conditions: { method: ['GET'] } })
    .connect('/', { controller: 'entries', action: 'create', conditions: { method: ['POST'] } }),
  controllers: { entries: EntriesController },
  templates: { index },
})
const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(server.url)
