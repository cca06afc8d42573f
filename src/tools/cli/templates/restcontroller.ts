import { abort, created, done } from 'propylon'
import { body, int, optional } from 'propylon/converters'
import { paginate } from 'propylon/paginate'
import * as v from 'valibot'
import { BaseController } from './project/lib/base.ts'
import { createItem, deleteItem, Fields, findItem, Item, selectItems, updateItem } from './resource/model.ts'

/** Serves /area/things. The static records declare what each action takes and gives, and its page. */
export class ThingsController extends BaseController {
  static args = {
    create: { fields: body(Fields, { form: 'new' }) },
    update: { fields: body(Fields, { form: 'edit' }) },
    index: { page: optional(int, 1) },
  }
  static results = { index: v.array(Item), show: Item, create: Item, update: Item, delete: null }
  static pages = {
    index: 'area/things/index',
    show: 'area/things/show',
    new: 'area/things/new',
    edit: 'area/things/edit',
  }
  // GUARD

  /**
   * Lists the things, twenty to a page.
   *
   * @throws HTTPNotFound - there is no such page.
   */
  async index(page: number) {
    const list = await paginate(selectItems(), { page, size: 20, response: this.response })
    this.c.pages = list
    return list.items
  }
  /** Shows one thing. */
  async show(id: string) {
    return (await findItem(id)) ?? abort(404)
  }
  new() {
    return { title: '' }
  }
  /** Creates a thing. */
  async create(fields: v.InferOutput<typeof Fields>) {
    const item = await createItem(fields)
    return created(this.url('area_thing', { id: item.id }), item)
  }
  async edit(id: string) {
    return (await findItem(id)) ?? abort(404)
  }
  /** Changes a thing. */
  async update(id: string, fields: v.InferOutput<typeof Fields>) {
    const item = (await updateItem(id, fields)) ?? abort(404)
    return done(this.url('area_thing', { id }), item)
  }
  /** Removes a thing. */
  async delete(id: string) {
    if (!(await deleteItem(id))) abort(404)
    return done(this.url('area_things'))
  }
}
