import { abort } from 'propylon'
import { body, int, optional, string } from 'propylon/converters'
import type * as v from 'valibot'
import { APIController, open } from '../../lib/base.ts'
import * as articles from '../../model/articles.ts'
import { ArticleChanges, Articles, NewArticle, OneArticle, Tags } from '../../model/schemas.ts'

const part = { limit: optional(int, 20), offset: optional(int, 0) }

export class ArticlesController extends APIController {
  static args = {
    index: { tag: optional(string), author: optional(string), favorited: optional(string), ...part },
    feed: part,
    create: { article: body(NewArticle) },
    update: { article: body(ArticleChanges) },
  }
  static results = {
    index: Articles,
    feed: Articles,
    show: OneArticle,
    create: OneArticle,
    update: OneArticle,
    delete: null,
    tags: Tags,
    favorite: OneArticle,
    unfavorite: OneArticle,
  }
  static override security = { index: open, show: open, tags: [] }

  /** Lists articles, the newest first. */
  index(tag?: string, author?: string, favorited?: string, limit = 20, offset = 0) {
    return articles.listArticles(this._viewer, { tag, author, favorited }, { offset, limit })
  }

  /** Lists the articles of the users whom the user follows. */
  feed(limit: number, offset: number) {
    return articles.listArticles(this._viewer, { isFeed: true }, { offset, limit })
  }

  /** Returns an article. */
  async show(slug: string) {
    return { article: await articles.findArticle(slug, this._viewer) }
  }

  /** Adds an article. */
  async create(article: v.InferOutput<typeof NewArticle>) {
    const slug = await articles.addArticle(this._viewer, article)
    this.response.status = 201
    return this.show(slug)
  }

  /**
   * Changes an article of the user.
   *
   * @throws 403 The article has another author.
   */
  async update(slug: string, article: v.InferOutput<typeof ArticleChanges>) {
    await articles.changeArticle(await this._own(slug), article)
    return this.show(slug)
  }

  /**
   * Removes an article of the user.
   *
   * @throws 403 The article has another author.
   */
  async delete(slug: string): Promise<null> {
    await articles.remove('articles', await this._own(slug))
    return null
  }

  /** Makes an article a favorite. */
  favorite(slug: string) {
    return this._set(slug, true)
  }

  /** Makes an article no favorite any more. */
  unfavorite(slug: string) {
    return this._set(slug, false)
  }

  /** Lists all tags. */
  async tags() {
    return { tags: await articles.listTags() }
  }

  async _set(slug: string, isFavorite: boolean) {
    const { id } = await articles.findArticle(slug, this._viewer)
    await articles.setFavorite(this._viewer, id, isFavorite)
    return this.show(slug)
  }

  async _own(slug: string): Promise<number> {
    const { id, author_id } = await articles.findArticle(slug, this._viewer)
    return author_id === this._viewer ? id : abort(403, 'The article has another author.')
  }
}
