import { abort, Response } from 'propylon'
import { wantsPage } from '../lib/accepting.ts'
import { BaseController } from '../lib/base.ts'
import { users } from '../model/meta.ts'
import { userForm, userUpdateForm } from '../model/user.ts'
import type { User, Users } from '../model/users.ts'

/** Lists, shows, creates, changes and deletes users. */
export class UsersController extends BaseController {
  #users: Users | undefined

  async __before__() {
    this.#users = await users()
  }

  /** GET /users: lists all users by name. */
  async index(format = 'html') {
    const all = await this.#model.all()
    if (format === 'json') return this.#script(all.map((user) => this.#public(user)))
    return this.render('users/index', { users: all })
  }

  /** POST /users: creates a user. */
  async create() {
    const values = await this._form(userForm, 'users/new')
    const location = this.#urlOf(values.name)
    const outcome = await this.#model.add(values, this.request.signal)
    if (outcome === 'taken') {
      const shown = { ...taken(values), existing: location }
      return this._refuse('409 Conflict', 'users/new', shown, { location })
    }
    this.response.status = 201
    this.response.headers.set('location', location)
    return this.render('users/created', { user: values })
  }

  /** GET /users/new: shows the form for a new user. */
  new() {
    return this.render('users/new', { typed: {}, errors: {} })
  }

  /** PUT /users/ID: changes a user, including the name. */
  async update(id: string) {
    const user = await this.#find(id)
    const values = await this._form(userUpdateForm, 'users/edit', { user })
    const location = this.#urlOf(values.name)
    const outcome = await this.#model.change(id, values, this.request.signal)
    if (outcome === 'missing') return this.#missing(id)
    if (outcome === 'taken') {
      return this._refuse('409 Conflict', 'users/edit', { ...taken(values), user, existing: location })
    }
    if (values.name === id) return this.#done(location)
    // Another user may get the old name later, so clients must not cache the redirect.
    return new Response(null, { status: 301, headers: { location, 'cache-control': 'no-store' } })
  }

  /** DELETE /users/ID: deletes a user. */
  async delete(id: string) {
    const outcome = await this.#model.remove(id)
    return outcome === 'missing' ? this.#missing(id) : this.#done(this.url('users'))
  }

  /** GET /users/ID: shows a user. */
  async show(id: string, format = 'html') {
    const user = await this.#find(id)
    return format === 'json' ? this.#script(this.#public(user)) : this.render('users/show', { user })
  }

  /** GET /users/ID;edit: shows the form to change a user. */
  async edit(id: string) {
    const user = await this.#find(id)
    return this.render('users/edit', { user, typed: user, errors: {} })
  }

  get #model(): Users {
    if (this.#users === undefined)
      throw new Error('The model is undefined. Call this.#model only in actions, which run after __before__.')
    return this.#users
  }

  async #find(name: string): Promise<User> {
    return (await this.#model.get(name)) ?? this.#missing(name)
  }

  #missing(name: string): never {
    this.c.missing = name
    abort(404)
  }

  #urlOf(name: string): string {
    return this.url('user', { id: name })
  }

  /** Returns the JSON representation of a user. */
  #public(user: User) {
    return { name: user.name, full_name: user.full_name, email: user.email, link: this.#urlOf(user.name) }
  }

  /**
   * Returns JSON for the media type text/javascript. The type has no charset, so all characters beyond ASCII are
   * escaped. The headers prevent other sites from loading the response as a script.
   */
  #script(value: unknown): string {
    this.response.headers.set('Content-Type', 'text/javascript')
    this.response.headers.set('x-content-type-options', 'nosniff')
    this.response.headers.set('cross-origin-resource-policy', 'same-origin')
    return JSON.stringify(value).replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  }

  /** Returns the response after a change: a redirect for the form of a browser, an empty body for other clients. */
  #done(location: string): Response {
    const { method, originalMethod } = this.request
    const isBrowserForm = method !== originalMethod && wantsPage(this.request)
    return isBrowserForm ? new Response(null, { status: 303, headers: { location } }) : new Response(null)
  }
}

/** Returns the template values for a form whose user name is taken. */
function taken({ name, full_name, email }: User) {
  return { typed: { name, full_name, email }, errors: { name: 'is taken: choose another one' } }
}
