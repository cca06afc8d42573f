import { abort, redirect } from 'propylon'
import { decorate, formResult, type StandardSchemaV1, validate } from 'propylon/decorators'
import { BaseController } from './project/lib/base.ts'

/** The fields that clients set. Add others here, in `rules` and in templates/area/things/_form.eta. */
interface Fields {
  readonly name: string
}

interface Item extends Fields {
  readonly id: string
}

/** The things. Replace this map by a model: a restart empties it, and each worker has its own. */
const items = new Map<string, Item>()
let lastId = 0

/** The rules of the fields, as a Standard Schema. A schema of Valibot, Zod or ArkType can replace it. */
const rules: StandardSchemaV1<Fields> = {
  '~standard': {
    version: 1,
    vendor: 'area/things',
    validate(sent) {
      const fields: Readonly<Record<string, unknown>> = { ...Object(sent) }
      const name = typeof fields.name === 'string' ? fields.name.trim() : ''
      if (name === '') return wrong('name', 'must not be empty')
      if (name.length > 200) return wrong('name', 'must not have more than 200 characters')
      return { value: { name } }
    },
  },
}

/**
 * The things, as a REST resource for browsers and for programs that read and send JSON. This line in config/routing.ts,
 * above the default routes, maps it:
 *
 *     map.resource('thing', 'things', { controller: 'area/things', pathPrefix: '/area', namePrefix: 'area_' })
 */
export class ThingsController extends BaseController {
  /** GET /area/things: all things. url('area_things') */
  index(format = 'html') {
    const all = [...items.values()]
    if (wantsJson(this, format)) return all
    return this.render('area/things/index', { items: all })
  }

  /** POST /area/things: create a new thing. url('area_things') */
  async create() {
    lastId += 1
    const item = { id: String(lastId), ...formResult(this, rules) }
    items.set(item.id, item)
    const location = this.url('area_thing', { id: item.id })
    if (!wantsJson(this)) redirect(location, 303)
    this.response.status = 201
    this.response.headers.set('Location', location)
    return item
  }

  /** GET /area/things/new: the form for a new thing. url('area_new_thing') */
  new(format = 'html') {
    const empty = { name: '' }
    if (wantsJson(this, format)) return empty
    return this.render('area/things/new', { item: empty })
  }

  /**
   * PUT /area/things/{id}: change a thing. url('area_thing', { id })
   *
   * From a browser: POST with the field `<input type="hidden" name="_method" value="PUT">`.
   */
  async update(id: string) {
    const item = { ...find(id), ...formResult(this, rules) }
    items.set(id, item)
    if (!wantsJson(this)) redirect(this.url('area_thing', { id }), 303)
    return item
  }

  /**
   * DELETE /area/things/{id}: remove a thing. url('area_thing', { id })
   *
   * From a browser: POST with the field `<input type="hidden" name="_method" value="DELETE">`.
   */
  delete(id: string) {
    items.delete(find(id).id)
    if (!wantsJson(this)) redirect(this.url('area_things'), 303)
    this.response.status = 204
    return null
  }

  /** GET /area/things/{id}: one thing. url('area_thing', { id }) */
  show(id: string, format = 'html') {
    const item = find(id)
    if (wantsJson(this, format)) return item
    return this.render('area/things/show', { item })
  }

  /** GET /area/things/{id};edit: the form with the current values. url('area_edit_thing', { id }) */
  edit(id: string, format = 'html') {
    const item = find(id)
    if (wantsJson(this, format)) return item
    return this.render('area/things/edit', { item })
  }

  static {
    decorate(this, {
      create: [validate(rules, { form: 'new' })],
      update: [validate(rules, { form: 'edit' })],
    })
  }
}

/** Returns the item with an id, or aborts with 404. */
function find(id: string): Item {
  return items.get(id) ?? abort(404)
}

function wrong(field: keyof Fields, message: string) {
  return { issues: [{ path: [field], message }] }
}

/** Returns true for programs: the URL ends in `.json`, or the request prefers or sends JSON. */
function wantsJson({ request, response }: BaseController, format = 'html'): boolean {
  response.headers.append('Vary', 'Accept')
  const json = 'application/json'
  const types = request.mediaType?.essence === json ? [json, 'text/html'] : ['text/html', json]
  return format === 'json' || request.accept(...types) === json
}
