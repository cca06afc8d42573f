import { abort, created, done } from 'propylon'
import { body } from 'propylon/converters'
import { invalid } from 'propylon/decorators'
import * as v from 'valibot'
import { BaseController } from '../lib/base.ts'
import {
  allRecipes,
  createRecipe,
  deleteRecipe,
  findRecipe,
  Recipe,
  type RecipeFields,
  RecipeForm,
  updateRecipe,
} from '../model/recipes.ts'

/** Serves /recipes. The static records declare what each action takes and gives, and its page. */
export class RecipesController extends BaseController {
  static args = {
    create: { fields: body(RecipeForm, { form: 'new' }) },
    update: { fields: body(RecipeForm, { form: 'edit' }) },
  }
  static results = { index: v.array(Recipe), show: Recipe, create: Recipe, update: Recipe, delete: null }
  static pages = { index: 'recipes/index', show: 'recipes/show', new: 'recipes/new', edit: 'recipes/edit' }

  /** Lists all recipes by title. */
  index() {
    return allRecipes()
  }

  /** Shows one recipe. */
  show(id: string, format?: string) {
    return this.#find(id, format)
  }

  new() {
    return { name: '', title: '', text: '' }
  }

  /**
   * Creates a recipe.
   *
   * @throws HTTPConflict - there is a recipe with this name.
   */
  async create(fields: RecipeFields) {
    const location = this.url('recipe', { id: fields.name })
    const recipe = await createRecipe(fields)
    if (recipe === undefined) {
      invalid<typeof RecipeForm>({ name: 'is taken' }, { status: 409, headers: { Location: location } })
    }
    return created(location, recipe)
  }

  edit(id: string) {
    return this.#find(id)
  }

  /**
   * Changes a recipe.
   *
   * @throws HTTPConflict - there is a recipe with this name.
   */
  async update(id: string, fields: RecipeFields, format?: string) {
    await this.#find(id, format)
    const recipe = await updateRecipe(id, fields)
    if (recipe === undefined) invalid<typeof RecipeForm>({ name: 'is taken' }, { status: 409 })
    return done(this.url('recipe', { id: recipe.name }), recipe)
  }

  /** Removes a recipe. */
  async delete(id: string, format?: string) {
    await this.#find(id, format)
    await deleteRecipe(id)
    return done(this.url('recipes'))
  }

  /** Returns a recipe. Ends the request with 404, or for programs with 304 or 412 if their version requires it. */
  async #find(id: string, format?: string) {
    const recipe = (await findRecipe(id)) ?? abort(404)
    if (format === 'json') this.fresh({ etag: `v${recipe.version}` })
    return recipe
  }
}
