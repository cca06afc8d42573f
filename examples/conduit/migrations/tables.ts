import { type Generated, type Kysely, sql } from 'kysely'

export interface Tables {
  users: {
    id: Generated<number>
    username: string
    email: string
    password: string
    bio: string | null
    image: string | null
  }
  follows: { follower_id: number; followed_id: number }
  articles: {
    id: Generated<number>
    author_id: number
    slug: string
    title: string
    description: string
    body: string
    createdAt: string
    updatedAt: string
  }
  tags: { article_id: number; tag: string }
  favorites: { user_id: number; article_id: number }
  comments: {
    id: Generated<number>
    article_id: number
    author_id: number
    body: string
    createdAt: string
    updatedAt: string
  }
}

const TABLES = [
  'users (id integer primary key, username text unique not null, email text unique not null, password text not null, bio text, image text)',
  'follows (follower_id integer references users, followed_id integer references users, primary key (follower_id, followed_id))',
  'articles (id integer primary key, author_id integer not null references users, slug text unique not null, title text not null, description text not null, body text not null, createdAt text not null, updatedAt text not null)',
  'tags (article_id integer references articles on delete cascade, tag text, primary key (article_id, tag))',
  'favorites (user_id integer references users, article_id integer references articles on delete cascade, primary key (user_id, article_id))',
  'comments (id integer primary key, article_id integer not null references articles on delete cascade, author_id integer not null references users, body text not null, createdAt text not null, updatedAt text not null)',
]

export async function createTables(database: Kysely<Tables>): Promise<void> {
  for (const table of TABLES) await sql`create table if not exists ${sql.raw(table)}`.execute(database)
}
