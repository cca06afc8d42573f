/** The RealWorld API, by its public specification. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FrameworkApp } from 'propylon'
import { hashCheaply } from 'propylon/passwords'
import { TestApp, type TestResponse } from 'propylon/testing'

process.env.NODE_ENV = 'test'
process.env.DATABASE_URL = 'sqlite::memory:'
const CONDUIT = new URL('../../examples/conduit/', import.meta.url)
const load = (file: string) => import(new URL(file, CONDUIT).href)

interface Sent {
  [member: string]: Sent
}

let restore: () => void
let app: FrameworkApp
let database: { destroy(): Promise<void> }
let ann: TestApp
let ben: TestApp
let stranger: TestApp

const json = (response: TestResponse): Sent => response.json<Sent>()

async function register(username: string): Promise<TestApp> {
  const user = { username, email: `${username}@example.org`, password: 'a long password' }
  const made = json(await stranger.postJson('/api/users', { user }, { status: 201 }))
  return new TestApp(app, { headers: { Authorization: `Token ${made.user?.token}` } })
}

before(async () => {
  restore = hashCheaply()
  ;({ default: app } = await load('app.ts'))
  ;({ database } = await load('model/database.ts'))
  await (await load('migrations/tables.ts')).createTables(database)
  stranger = new TestApp(app)
  ann = await register('ann')
  ben = await register('ben')
})

after(async () => {
  await database.destroy()
  restore()
})

const article = {
  title: 'How to train',
  description: 'Ever wonder?',
  body: 'Believe',
  tagList: ['dragons', 'training'],
}

async function write(changes: object = {}): Promise<string> {
  const made = await ann.postJson('/api/articles', { article: { ...article, ...changes } }, { status: 201 })
  return String(json(made).article?.slug)
}

describe('users', () => {
  it('register, log in, read and change themselves', async () => {
    const login = { user: { email: 'ann@example.org', password: 'a long password' } }
    const { user } = json(await stranger.postJson('/api/users/login', login))
    assert.deepEqual(Object.keys(user ?? {}).sort(), ['bio', 'email', 'image', 'token', 'username'])
    assert.equal(json(await ann.get('/api/user')).user?.username, 'ann')
    const changed = json(await ann.putJson('/api/user', { user: { bio: 'I write' } }))
    assert.deepEqual([changed.user?.bio, changed.user?.email], ['I write', 'ann@example.org'])
  })

  it('follow one another', async () => {
    assert.equal(json(await stranger.get('/api/profiles/ann')).profile?.following, false)
    assert.equal(json(await ben.post('/api/profiles/ann/follow')).profile?.following, true)
    assert.equal(json(await ben.get('/api/profiles/ann')).profile?.following, true)
    assert.equal(json(await ben.delete('/api/profiles/ann/follow')).profile?.following, false)
  })
})

describe('articles', () => {
  it('are written, read, changed and removed', async () => {
    const slug = await write()
    const { article: read } = json(await stranger.get(`/api/articles/${slug}`))
    assert.deepEqual([read?.body, read?.tagList, read?.favoritesCount], ['Believe', ['dragons', 'training'], 0])
    assert.equal(json(await ann.putJson(`/api/articles/${slug}`, { article: { body: 'New' } })).article?.body, 'New')
    await ann.delete(`/api/articles/${slug}`, { status: 204 })
    await ann.get(`/api/articles/${slug}`, { status: 404 })
  })

  it('are listed without their bodies, by tag, author, favorite and place', async () => {
    const slug = await write({ tagList: ['rare'] })
    await write({ tagList: ['rare'] })
    await ben.post(`/api/articles/${slug}/favorite`)
    const count = async (query: string) => json(await stranger.get(`/api/articles?${query}`)).articlesCount
    assert.deepEqual(
      [await count('tag=rare'), await count('favorited=ben'), await count('author=ben'), await count('tag=none')],
      [2, 1, 0, 0],
    )
    const { articles } = json(await stranger.get('/api/articles?tag=rare&limit=1&offset=1'))
    assert.deepEqual([articles?.length, articles?.[0]?.slug, articles?.[0]?.body], [1, slug, undefined])
    await ben.post('/api/profiles/ann/follow')
    assert.equal(Number(json(await ben.get('/api/articles/feed')).articlesCount) >= 2, true)
    assert.equal(json(await ben.delete(`/api/articles/${slug}/favorite`)).article?.favoritesCount, 0)
    assert.match((await stranger.get('/api/tags')).text, /"rare"/)
  })

  it('have comments', async () => {
    const slug = await write()
    const sent = { comment: { body: 'Thank you' } }
    const { comment } = json(await ben.postJson(`/api/articles/${slug}/comments`, sent, { status: 201 }))
    assert.equal(comment?.author?.username, 'ben')
    assert.equal(json(await stranger.get(`/api/articles/${slug}/comments`)).comments?.length, 1)
    await ann.delete(`/api/articles/${slug}/comments/${comment?.id}`, { status: 403 })
    await ben.delete(`/api/articles/${slug}/comments/${comment?.id}`, { status: 204 })
    await ben.delete(`/api/articles/${slug}/comments/${comment?.id}`, { status: 404 })
  })
})

describe('errors', () => {
  const cases: [what: string, send: () => Promise<TestResponse>, errors: object | RegExp][] = [
    ['a stranger', () => stranger.get('/api/user', { status: 401 }), { body: ['Send a valid token.'] }],
    [
      'a wrong token',
      () => stranger.get('/api/articles', { headers: { Authorization: 'Token x' }, status: 401 }),
      /token/,
    ],
    ['no user', () => stranger.get('/api/profiles/none', { status: 404 }), { body: ['There is no user none.'] }],
    ['no route', () => stranger.get('/api/none', { status: 404 }), /could not be found/],
    [
      'no title',
      () => ann.postJson('/api/articles', { article: { ...article, title: '' } }, { status: 422 }),
      { title: ["can't be blank"] },
    ],
    ['an array', () => ann.postJson('/api/articles', [], { status: 422 }), /body/],
    [
      'malformed JSON',
      () => ann.post('/api/articles', '{', { headers: { 'Content-Type': 'application/json' }, status: 400 }),
      /body/,
    ],
    ['no token before the body', () => stranger.postJson('/api/articles', {}, { status: 401 }), /token/],
    [
      'an article of another author',
      async () => ben.delete(`/api/articles/${await write()}`, { status: 403 }),
      /another author/,
    ],
    [
      'a wrong password',
      () =>
        stranger.postJson('/api/users/login', { user: { email: 'ann@example.org', password: 'x' } }, { status: 422 }),
      { 'email or password': ['is invalid'] },
    ],
    [
      'a name that is taken',
      () =>
        stranger.postJson(
          '/api/users',
          { user: { username: 'ann', email: 'a@example.org', password: 'a long password' } },
          { status: 422 },
        ),
      { username: ['has already been taken'] },
    ],
  ]
  for (const [what, send, errors] of cases) {
    it(`have the form of RealWorld for ${what}`, async () => {
      const response = await send()
      if (errors instanceof RegExp) assert.match(response.text, errors)
      else assert.deepEqual(json(response), { errors })
      assert.deepEqual(Object.keys(json(response)), ['errors'])
    })
  }

  it('let front ends at other origins log in and send tokens', async () => {
    const headers = { Origin: 'https://front.example', 'Sec-Fetch-Site': 'cross-site' }
    const login = { user: { email: 'ann@example.org', password: 'a long password' } }
    await stranger.postJson('/api/users/login', login, { headers, status: 200 })
    assert.equal((await ben.post('/api/profiles/ann/follow', undefined, { headers })).status, 200)
  })
})
