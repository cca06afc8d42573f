import { abort, escapeHtml } from 'propylon'
import { BaseController } from './project/lib/base.ts'

/** One of the items. Add fields here, in `fieldsOf` and in `form`. */
interface Item {
  readonly id: string
  name: string
}

/** The things. Replace this map by a model: a restart empties it, and each worker has its own. */
const items = new Map<string, Item>()
let lastId = 0

/**
 * The things, as a REST resource. This line in config/routing.ts, above the default routes, maps it:
 *
 *     map.resource('thing', 'things', { controller: 'area/things', pathPrefix: '/area', namePrefix: 'area_' })
 */
export class ThingsController extends BaseController {
  /** GET /area/things: all things. url('area_things') */
  index(format = 'html') {
    const all = [...items.values()]
    if (format === 'json') return all
    const entries = all.map((item) => `<li>${link(this.url('area_thing', { id: item.id }), item.name)}</li>`)
    return page(
      'Things',
      `<ul>${entries.join('')}</ul><p>${link(this.url('area_new_thing'), 'New thing')}</p>`,
    )
  }

  /** POST /area/things: create a new thing. url('area_things') */
  async create() {
    const fields = await fieldsOf(this)
    lastId += 1
    const item = { id: String(lastId), ...fields }
    items.set(item.id, item)
    const url = this.url('area_thing', { id: item.id })
    this.response.status = 201
    this.response.headers.set('Location', url)
    return page('Created', `<p>${link(url, item.name)}</p>`)
  }

  /** GET /area/things/new: the form for a new thing. url('area_new_thing') */
  new(format = 'html') {
    if (format === 'json') return { name: '' }
    return page('New thing', form(this.url('area_things'), 'POST', { name: '' }))
  }

  /**
   * PUT /area/things/{id}: change a thing. url('area_thing', { id })
   *
   * From a browser: POST with the field `<input type="hidden" name="_method" value="PUT">`.
   */
  async update(id: string) {
    const item = find(id)
    Object.assign(item, await fieldsOf(this))
    return ''
  }

  /**
   * DELETE /area/things/{id}: remove a thing. url('area_thing', { id })
   *
   * From a browser: POST with the field `<input type="hidden" name="_method" value="DELETE">`.
   */
  delete(id: string) {
    items.delete(find(id).id)
    return ''
  }

  /** GET /area/things/{id}: one thing. url('area_thing', { id }) */
  show(id: string, format = 'html') {
    const item = find(id)
    if (format === 'json') return item
    const edit = link(this.url('area_edit_thing', { id }), 'Edit')
    const remove = form(this.url('area_thing', { id }), 'DELETE')
    return page(item.name, `<p>${edit}</p>${remove}`)
  }

  /** GET /area/things/{id};edit: the form with the current values. url('area_edit_thing', { id }) */
  edit(id: string, format = 'html') {
    const item = find(id)
    if (format === 'json') return item
    return page(`Edit ${item.name}`, form(this.url('area_thing', { id }), 'PUT', item))
  }
}

/** Returns the item with an id, or aborts with 404. */
function find(id: string): Item {
  return items.get(id) ?? abort(404)
}

/** Returns the fields of the form, or aborts with 400 if they are invalid. */
async function fieldsOf({ request }: BaseController): Promise<Omit<Item, 'id'>> {
  const sent = await request.form()
  const name = (sent.get('name') ?? '').trim()
  if (name === '') abort('400 Bad Request -- name: must not be empty')
  if (name.length > 200) abort('400 Bad Request -- name: must not have more than 200 characters')
  return { name }
}

function form(url: string, method: 'POST' | 'PUT' | 'DELETE', fields?: Omit<Item, 'id'>): string {
  const inputs =
    fields === undefined
      ? ''
      : `<label>Name <input name="name" value="${escapeHtml(fields.name)}" required maxlength="200"></label>`
  const override = method === 'POST' ? '' : `<input type="hidden" name="_method" value="${method}">`
  const button = `<button>${method === 'DELETE' ? 'Delete' : 'Save'}</button>`
  return `<form method="post" action="${escapeHtml(url)}">${override}${inputs}${button}</form>`
}

function link(url: string, text: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`
}

/** Returns a page. Replace it by a template: `this.render('area/things/index', { items })`. */
function page(title: string, body: string): string {
  const safe = escapeHtml(title)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${safe}</title><h1>${safe}</h1>${body}</html>`
}
