import * as v from 'valibot'
import { database } from '../config/database.ts'
import type { RecipesTable } from './tables.ts'

/** The fields that clients send, by a form or as JSON. */
export const RecipeForm = v.object({
  name: v.pipe(v.string(), v.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'Use small letters, digits and dashes'), v.maxLength(64)),
  title: v.pipe(v.string(), v.trim(), v.minLength(1, 'Please enter a title'), v.maxLength(200)),
  text: v.pipe(v.string(), v.maxLength(10_000)),
})
export type RecipeFields = v.InferOutput<typeof RecipeForm>

/** A recipe as programs receive it. */
export const Recipe = v.object({ ...RecipeForm.entries, version: v.number() })

/** Returns all recipes by title. */
export function allRecipes(): Promise<RecipesTable[]> {
  return database.selectFrom('recipes').selectAll().orderBy('title').execute()
}

/** Returns a recipe, or undefined. */
export function findRecipe(name: string): Promise<RecipesTable | undefined> {
  return database.selectFrom('recipes').selectAll().where('name', '=', name).executeTakeFirst()
}

/** Stores a new recipe. Returns undefined if the name is taken. */
export function createRecipe(fields: RecipeFields): Promise<RecipesTable | undefined> {
  return database
    .insertInto('recipes')
    .values({ ...fields, version: 1 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Changes a recipe, which may get another name. Returns undefined if that is taken, or if there is no such recipe. */
export function updateRecipe(name: string, fields: RecipeFields): Promise<RecipesTable | undefined> {
  return database.transaction().execute(async (transaction) => {
    if (fields.name !== name) {
      const other = transaction.selectFrom('recipes').select('name').where('name', '=', fields.name)
      if ((await other.executeTakeFirst()) !== undefined) return undefined
    }
    return transaction
      .updateTable('recipes')
      .set(({ eb }) => ({ ...fields, version: eb('version', '+', 1) }))
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst()
  })
}

export async function deleteRecipe(name: string): Promise<void> {
  await database.deleteFrom('recipes').where('name', '=', name).execute()
}
