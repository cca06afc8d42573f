/** Clients of redis, ioredis and Kysely of any type, in which a store keeps sessions. */
import { Cluster, Redis } from 'ioredis'
import type { Kysely, Transaction } from 'kysely'
import { kyselyStore, redisStore } from 'propylon/sessions'
import { createClient, createClientPool, createCluster } from 'redis'

interface Tables {
  pages: { title: string; count: number }
}
export const stores = [
  redisStore(createClient()),
  redisStore(createClientPool()),
  redisStore(createCluster({ rootNodes: [] })),
  redisStore(new Redis()),
  redisStore(new Cluster([])),
]
export const ofDatabase = (db: Kysely<Tables>, empty: Kysely<object>, transaction: Transaction<Tables>) => [
  kyselyStore(db),
  kyselyStore(empty),
  kyselyStore(transaction),
]
// @ts-expect-error no client
redisStore(new Map<string, string>())
// @ts-expect-error no database
kyselyStore({})
