import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { abort } from 'propylon'
import { paginate } from 'propylon/paginate'
import type * as v from 'valibot'
import { database } from './database.ts'
import type { ArticleChanges, NewArticle } from './schemas.ts'
import { followedBy } from './users.ts'

/** Selects articles as a viewer sees them. */
function articlesFor(viewer: number) {
  return database
    .selectFrom('articles')
    .innerJoin('users', 'users.id', 'articles.author_id')
    .select(['articles.id', 'slug', 'title', 'description', 'body', 'createdAt', 'updatedAt', 'author_id'])
    .select(['username', 'bio', 'image'])
    .select([
      sql<string>`(select json_group_array(tag) from tags where article_id = articles.id)`.as('tags'),
      sql<number>`(select count(*) from favorites where article_id = articles.id)`.as('favoritesCount'),
      sql<number>`articles.id in (select article_id from favorites where user_id = ${viewer})`.as('favorited'),
      followedBy(viewer),
    ])
}

type Row = Awaited<ReturnType<ReturnType<typeof articlesFor>['executeTakeFirstOrThrow']>>

function shown({ username, bio, image, following, tags, favorited, ...article }: Row) {
  const tagList: string[] = JSON.parse(tags)
  const author = { username, bio, image, following: following === 1 }
  return { ...article, tagList, favorited: favorited === 1, author }
}

/** `isFeed` selects the articles of users whom the viewer follows. */
export type Filter = { [field in 'tag' | 'author' | 'favorited']?: string | undefined } & { isFeed?: boolean }

/** Returns a part of the articles, the newest first. */
export async function listArticles(viewer: number, filter: Filter, part: { offset: number; limit: number }) {
  const { tag, author, favorited, isFeed = false } = filter
  let query = articlesFor(viewer).orderBy('articles.id', 'desc')
  const narrow = (ids: RawBuilder<unknown>) => {
    query = query.where(sql<boolean>`articles.id in (${ids})`)
  }
  if (author !== undefined) query = query.where('username', '=', author)
  if (tag !== undefined) narrow(sql`select article_id from tags where tag = ${tag}`)
  if (favorited !== undefined)
    narrow(sql`select article_id from favorites join users on id = user_id where username = ${favorited}`)
  const followed = sql`select followed_id from follows where follower_id = ${viewer}`
  if (isFeed) narrow(sql`select id from articles where author_id in (${followed})`)
  const { items, total } = await paginate(query, part)
  return { articles: items.map(shown), articlesCount: total }
}

export async function findArticle(slug: string, viewer: number) {
  const row = await articlesFor(viewer).where('slug', '=', slug).executeTakeFirst()
  return shown(row ?? abort(404, `There is no article ${slug}.`))
}

export async function addArticle(author_id: number, { article }: v.InferOutput<typeof NewArticle>): Promise<string> {
  const { tagList, ...values } = article
  const slug = `${values.title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${randomBytes(4).toString('hex')}`
  const createdAt = new Date().toISOString()
  await database.transaction().execute(async (db) => {
    const row = { ...values, slug, author_id, createdAt, updatedAt: createdAt }
    const { id } = await db.insertInto('articles').values(row).returning('id').executeTakeFirstOrThrow()
    const tags = [...new Set(tagList)].map((tag) => ({ article_id: id, tag }))
    if (tags.length > 0) await db.insertInto('tags').values(tags).execute()
  })
  return slug
}

export async function changeArticle(id: number, { article }: v.InferOutput<typeof ArticleChanges>): Promise<void> {
  const values = { ...article, updatedAt: new Date().toISOString() }
  await database.updateTable('articles').set(values).where('id', '=', id).execute()
}

export async function remove(table: 'articles' | 'comments', id: number): Promise<void> {
  await sql`delete from ${sql.table(table)} where id = ${id}`.execute(database)
}

export async function setFavorite(user: number, article: number, isFavorite: boolean): Promise<void> {
  const statement = isFavorite
    ? sql`insert or ignore into favorites (user_id, article_id) values (${user}, ${article})`
    : sql`delete from favorites where user_id = ${user} and article_id = ${article}`
  await statement.execute(database)
}

export async function listTags(): Promise<string[]> {
  const rows = await database.selectFrom('tags').select('tag').distinct().orderBy('tag').execute()
  return rows.map(({ tag }) => tag)
}

export async function listComments(article: number, viewer: number) {
  const rows = await database
    .selectFrom('comments')
    .innerJoin('users', 'users.id', 'comments.author_id')
    .select(['comments.id', 'body', 'createdAt', 'updatedAt', 'author_id', 'username', 'bio', 'image'])
    .select(followedBy(viewer))
    .where('article_id', '=', article)
    .orderBy('comments.id')
    .execute()
  return rows.map(({ username, bio, image, following, ...comment }) => ({
    ...comment,
    author: { username, bio, image, following: following === 1 },
  }))
}

export async function addComment(article_id: number, author_id: number, body: string): Promise<number> {
  const createdAt = new Date().toISOString()
  const row = { article_id, author_id, body, createdAt, updatedAt: createdAt }
  const { id } = await database.insertInto('comments').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}
