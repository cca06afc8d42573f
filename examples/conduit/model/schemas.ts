/** Bodies that clients send and receive. */
import * as v from 'valibot'

const text = (limit: number) =>
  v.pipe(v.string(), v.trim(), v.minLength(1, "can't be blank"), v.maxLength(limit, 'is too long'))
const email = v.pipe(text(254), v.email('is invalid'))
const password = v.pipe(v.string(), v.minLength(8, 'is too short'), v.maxLength(1024, 'is too long'))
const username = v.pipe(text(64), v.regex(/^[\w.-]+$/, 'is invalid'))
const optionalText = v.nullish(v.pipe(v.string(), v.maxLength(10_000, 'is too long')))
const tags = v.pipe(v.array(text(64)), v.maxLength(20, 'are too many'))

export const Login = v.object({ user: v.object({ email: text(254), password: text(1024) }) })
export const NewUser = v.object({ user: v.object({ username, email, password }) })
export const UserChanges = v.object({
  user: v.partial(v.object({ username, email, password, bio: optionalText, image: optionalText })),
})
const article = v.object({ title: text(200), description: text(1000), body: text(100_000) })
export const NewArticle = v.object({
  article: v.object({ ...article.entries, tagList: v.optional(tags, []) }),
})
export const ArticleChanges = v.object({ article: v.partial(article) })
export const NewComment = v.object({ comment: v.object({ body: text(10_000) }) })

const string = v.string()
const nullable = v.nullable(string)
const Profile = v.object({ username: string, bio: nullable, image: nullable, following: v.boolean() })
const Preview = v.object({
  slug: string,
  title: string,
  description: string,
  tagList: v.array(string),
  createdAt: string,
  updatedAt: string,
  favorited: v.boolean(),
  favoritesCount: v.number(),
  author: Profile,
})
const Comment = v.object({
  id: v.number(),
  createdAt: string,
  updatedAt: string,
  body: string,
  author: Profile,
})
const User = v.object({ email: string, token: string, username: string, bio: nullable, image: nullable })
export const OneUser = v.object({ user: User })
export const OneProfile = v.object({ profile: Profile })
export const OneArticle = v.object({ article: v.object({ ...Preview.entries, body: string }) })
export const Articles = v.object({ articles: v.array(Preview), articlesCount: v.number() })
export const OneComment = v.object({ comment: Comment })
export const Comments = v.object({ comments: v.array(Comment) })
export const Tags = v.object({ tags: v.array(string) })
