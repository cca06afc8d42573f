import { abort, created, done } from 'propylon'
import { body } from 'propylon/converters'
import * as v from 'valibot'
import { BaseController } from './project/lib/base.ts'

/** The fields that clients send. Add others here and in templates/area/things/_form.eta. */
const Fields = v.object({
  name: v.pipe(v.string('must be text'), v.trim(), v.minLength(1, 'must not be empty'), v.maxLength(200)),
})
const Item = v.object({ id: v.string(), ...Fields.entries })

/** The stored items. Replace this map by a model: a restart empties it, and each worker has its own. */
const items = new Map<string, v.InferOutput<typeof Item>>()
const find = (id: string) => items.get(id) ?? abort(404)

/** Serves /area/things. The static records declare what each action takes and gives, and its page. */
export class ThingsController extends BaseController {
  static args = {
    create: { fields: body(Fields, { form: 'new' }) },
    update: { fields: body(Fields, { form: 'edit' }) },
  }
  static results = { index: v.array(Item), show: Item, create: Item, update: Item, delete: null }
  static pages = {
    index: 'area/things/index',
    show: 'area/things/show',
    new: 'area/things/new',
    edit: 'area/things/edit',
  }
  /** Lists all things. */
  index() {
    return [...items.values()]
  }
  /** Shows one thing. */
  show(id: string) {
    return find(id)
  }
  new() {
    return { name: '' }
  }
  /** Creates a thing. */
  create(fields: v.InferOutput<typeof Fields>) {
    const item = { id: crypto.randomUUID(), ...fields }
    items.set(item.id, item)
    return created(this.url('area_thing', { id: item.id }), item)
  }
  edit(id: string) {
    return find(id)
  }
  /** Changes a thing. */
  update(id: string, fields: v.InferOutput<typeof Fields>) {
    const item = { ...find(id), ...fields }
    items.set(id, item)
    return done(this.url('area_thing', { id }), item)
  }
  /** Removes a thing. */
  delete(id: string) {
    items.delete(find(id).id)
    return done(this.url('area_things'))
  }
}
