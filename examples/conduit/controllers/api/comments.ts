import { abort } from 'propylon'
import { body, int } from 'propylon/converters'
import type * as v from 'valibot'
import { APIController, open } from '../../lib/base.ts'
import { addComment, findArticle, listComments, remove } from '../../model/articles.ts'
import { Comments, NewComment, OneComment } from '../../model/schemas.ts'

export class CommentsController extends APIController {
  static args = { create: { comment: body(NewComment) }, delete: { id: int } }
  static results = { index: Comments, create: OneComment, delete: null }
  static override security = { index: open }

  /** Lists the comments of an article. */
  async index(slug: string) {
    return { comments: await this._comments(slug) }
  }

  /** Adds a comment. */
  async create(slug: string, comment: v.InferOutput<typeof NewComment>) {
    const article = await findArticle(slug, this._viewer)
    const id = await addComment(article.id, this._viewer, comment.comment.body)
    const made = (await this._comments(slug)).find((each) => each.id === id)
    this.response.status = 201
    return { comment: made ?? abort(404) }
  }

  /**
   * Removes a comment of the user.
   *
   * @throws 403 The comment has another author.
   */
  async delete(slug: string, id: number): Promise<null> {
    const comment = (await this._comments(slug)).find((each) => each.id === id)
    if (comment === undefined) abort(404, `There is no comment ${id}.`)
    if (comment.author_id !== this._viewer) abort(403, 'The comment has another author.')
    await remove('comments', id)
    return null
  }

  async _comments(slug: string) {
    return listComments((await findArticle(slug, this._viewer)).id, this._viewer)
  }
}
