import { abort, redirect } from 'propylon'
import { decorate, formResult, invalid, validate } from 'propylon/decorators'
import { BaseController } from '../lib/base.ts'
import {
  allRecipes,
  createRecipe,
  deleteRecipe,
  findRecipe,
  recipeForm,
  updateRecipe,
} from '../model/recipes.ts'

const EMPTY = { name: '', title: '', text: '' }

/** The recipes: `map.resource('recipe', 'recipes')`. */
export class RecipesController extends BaseController {
  /** GET /recipes, /recipes.json */
  async index(format = 'html') {
    const recipes = await allRecipes()
    return format === 'json' ? recipes : this.render('recipes/index', { recipes })
  }

  /** GET /recipes/new */
  new() {
    return this.render('recipes/new', { recipe: EMPTY })
  }

  /** POST /recipes */
  async create(format = 'html') {
    const fields = formResult(this, recipeForm)
    const location = this.url('recipe', { id: fields.name })
    if (!(await createRecipe(fields))) {
      invalid<typeof recipeForm>({ name: 'is taken' }, { status: 409, headers: { Location: location } })
    }
    return this.#saved(location, 201, format)
  }

  /** GET /recipes/apple-pie, /recipes/apple-pie.json */
  async show(id: string, format = 'html') {
    const recipe = await this.#find(id, format)
    return format === 'json' ? recipe : this.render('recipes/show', { recipe })
  }

  /** GET /recipes/apple-pie;edit */
  async edit(id: string) {
    return this.render('recipes/edit', { recipe: (await findRecipe(id)) ?? abort(404) })
  }

  /** PUT /recipes/apple-pie */
  async update(id: string, format = 'html') {
    const fields = formResult(this, recipeForm)
    await this.#find(id, format)
    if (!(await updateRecipe(id, fields))) invalid<typeof recipeForm>({ name: 'is taken' }, { status: 409 })
    return this.#saved(this.url('recipe', { id: fields.name }), 200, format)
  }

  /** DELETE /recipes/apple-pie */
  async delete(id: string, format = 'html') {
    await this.#find(id, format)
    await deleteRecipe(id)
    if (format !== 'json') redirect(this.url('recipes'), 303)
    this.response.status = 204
    return null
  }

  /** Returns a recipe. Ends the request with 404, or for programs with 304 or 412 if their version requires it. */
  async #find(id: string, format: string) {
    const recipe = (await findRecipe(id)) ?? abort(404)
    if (format === 'json') this.fresh({ etag: `v${recipe.version}` })
    return recipe
  }

  /** Redirects a browser to the recipe. Other clients receive a status and its location. */
  #saved(location: string, status: number, format: string) {
    if (format !== 'json') redirect(location, 303)
    this.response.status = status
    this.response.headers.set('Location', location)
    return { location }
  }

  static {
    decorate(this, {
      create: [validate(recipeForm, { form: 'new' })],
      update: [validate(recipeForm, { form: 'edit' })],
    })
  }
}
