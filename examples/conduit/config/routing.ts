import { Mapper, type RouteMap } from 'propylon'

export const map: RouteMap = new Mapper()

const on = (name: string, action: string, method: string) =>
  ({ controller: `api/${name}`, action, conditions: { method } }) as const

map.connect('register', '/api/users', on('users', 'create', 'POST'))
map.connect('login', '/api/users/login', on('users', 'login', 'POST'))
map.connect('current_user', '/api/user', on('users', 'show', 'GET'))
map.connect('change_user', '/api/user', on('users', 'update', 'PUT'))
map.connect('profile', '/api/profiles/{username}', on('profiles', 'show', 'GET'))
map.connect('follow', '/api/profiles/{username}/follow', on('profiles', 'follow', 'POST'))
map.connect('unfollow', '/api/profiles/{username}/follow', on('profiles', 'unfollow', 'DELETE'))
map.connect('unfavorite', '/api/articles/{slug}/favorite', on('articles', 'unfavorite', 'DELETE'))
map.resource('article', 'articles', {
  controller: 'api/articles',
  pathPrefix: '/api',
  param: 'slug',
  collection: { feed: 'GET' },
  member: { favorite: 'POST' },
  except: ['new', 'edit'],
})
map.resource('comment', 'comments', {
  controller: 'api/comments',
  pathPrefix: '/api/articles/{slug}',
  only: ['index', 'create', 'delete'],
})
map.connect('tags', '/api/tags', on('articles', 'tags', 'GET'))
