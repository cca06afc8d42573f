import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { CamelCasePlugin, type Generated, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { FrameworkApp, HTTPNotFound, Mapper, Response, WSGIController } from 'propylon'
import { paginate } from 'propylon/paginate'
import { sqliteDialect } from 'propylon/sqlite'
import { TestApp } from 'propylon/testing'

const postgres = process.env.PROPYLON_TEST_POSTGRES
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

describe('paginate() of an array', () => {
  for (const [total, page, size, expected] of [
    [0, 1, 10, { items: [], page: 1, pages: 1, total: 0, next: null, previous: null }],
    [3, 1, 3, { items: [1, 2, 3], page: 1, pages: 1, total: 3, next: null, previous: null }],
    [5, 1, 2, { items: [1, 2], page: 1, pages: 3, total: 5, next: 2, previous: null }],
    [5, 2, 2, { items: [3, 4], page: 2, pages: 3, total: 5, next: 3, previous: 1 }],
    [5, 3, 2, { items: [5], page: 3, pages: 3, total: 5, next: null, previous: 2 }],
  ] as const) {
    it(`returns page ${page} of ${total} by ${size}`, async () => {
      assert.deepEqual(await paginate(numbers(total), { page, size }), expected)
    })
  }

  for (const [total, offset, limit, expected] of [
    [0, 0, 10, { items: [], next: null, previous: null }],
    [0, 5, 10, { items: [], next: null, previous: 0 }],
    [5, 0, 2, { items: [1, 2], next: 2, previous: null }],
    [5, 1, 2, { items: [2, 3], next: 3, previous: 0 }],
    [5, 3, 2, { items: [4, 5], next: null, previous: 1 }],
    [5, 4, 2, { items: [5], next: null, previous: 2 }],
    [5, 5, 2, { items: [], next: null, previous: 3 }],
    [5, 900, 2, { items: [], next: null, previous: 3 }],
  ] as const) {
    it(`returns ${limit} of ${total} from ${offset}`, async () => {
      const part = await paginate(numbers(total), { offset, limit })
      assert.deepEqual(part, { offset, limit, total, ...expected })
    })
  }

  for (const [limit, length] of [
    [0, 1],
    [1000, 1000],
    [1001, 1000],
    [Number.POSITIVE_INFINITY, 1000],
  ] as const) {
    it(`clamps the limit ${limit} to ${length}`, async () => {
      const part = await paginate(numbers(3000), { offset: 0, limit })
      assert.deepEqual([part.items.length, part.limit], [length, length])
    })
  }

  for (const options of [
    { offset: -1, limit: 1 },
    { offset: 0.5, limit: 1 },
    { offset: Number.NaN, limit: 1 },
    { offset: 2 ** 53, limit: 1 },
    { offset: 0, limit: -1 },
    { offset: 0, limit: 1.5 },
    { offset: 0, limit: Number.NaN },
  ]) {
    it(`throws 404 for ${JSON.stringify(options)}`, async () => {
      await assert.rejects(paginate([1], options), HTTPNotFound)
    })
  }

  for (const [size, length] of [
    [0, 1],
    [-3, 1],
    [Number.NaN, 1],
    [2.9, 2],
    [1000, 1000],
    [1001, 1000],
    [Number.POSITIVE_INFINITY, 1000],
  ] as const) {
    it(`clamps the size ${size} to ${length}`, async () => {
      assert.equal((await paginate(numbers(3000), { page: 1, size })).items.length, length)
    })
  }

  for (const page of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 3]) {
    it(`refuses page ${page} of 2 with 404`, () =>
      assert.rejects(paginate(numbers(4), { page, size: 2 }), HTTPNotFound))
  }

  it('returns all items in order when every next page is read', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 50 }), fc.integer({ min: 1, max: 60 }), async (all, size) => {
        const read: number[] = []
        for (let page: number | null = 1; page !== null; ) {
          const { items, next }: { items: number[]; next: number | null } = await paginate(all, {
            page,
            size,
          })
          read.push(...items)
          page = next
        }
        assert.deepEqual(read, all)
      }),
    ))

  it('refuses a value that is neither a query nor an array', () =>
    // @ts-expect-error a Set is no list
    assert.rejects(paginate(new Set([1]), { page: 1, size: 1 }), /select query of Kysely/))
})

interface Tables {
  paginated: { id: Generated<number>; group_name: string }
}

const table = `paginated_${randomBytes(6).toString('hex')}`
const dialects = {
  SQLite: () => sqliteDialect(':memory:'),
  ...(postgres === undefined
    ? {}
    : {
        PostgreSQL: () => new PostgresDialect({ pool: new pg.Pool({ connectionString: postgres, max: 2 }) }),
      }),
}

for (const [name, dialect] of Object.entries(dialects)) {
  describe(`paginate() of a query on ${name}`, () => {
    const database = new Kysely<Record<string, Tables['paginated']>>({ dialect: dialect() })
    const rows = database.selectFrom(table)

    before(async () => {
      await sql`create table ${sql.table(table)} (id integer primary key, group_name text not null)`.execute(database)
      const values = numbers(7).map((id) => ({ id, group_name: id % 2 === 0 ? 'even' : 'odd' }))
      await database.insertInto(table).values(values).execute()
    })
    after(async () => {
      await database.schema.dropTable(table).execute()
      await database.destroy()
    })

    it('reads the rows of the page', async () => {
      const page = await paginate(rows.select('id').orderBy('id'), { page: 2, size: 3 })
      assert.deepEqual(
        { ...page, items: page.items.map(({ id }) => id) },
        {
          items: [4, 5, 6],
          page: 2,
          pages: 3,
          total: 7,
          next: 3,
          previous: 1,
        },
      )
    })

    it('reads no rows for the first page of nothing', async () => {
      const nothing = rows.selectAll().where('id', '<', 0)
      assert.deepEqual((await paginate(nothing, { page: 1, size: 3 })).items, [])
      await assert.rejects(paginate(nothing, { page: 2, size: 3 }), HTTPNotFound)
    })

    for (const [title, query, total] of [
      ['conditions', rows.select('id').where('group_name', '=', 'odd').orderBy('id'), 4],
      ['groups', rows.select('group_name').groupBy('group_name').orderBy('group_name'), 2],
      [
        'groups with a condition',
        rows
          .select('group_name')
          .groupBy('group_name')
          .having((eb) => eb.fn.countAll(), '>', 3),
        1,
      ],
      ['distinct rows', rows.select('group_name').distinct().orderBy('group_name'), 2],
      ['a limit and an offset of its own', rows.select('id').orderBy('id').limit(2).offset(1), 7],
      ['a union', rows.select('id').union(rows.select('id')), 7],
    ] as const) {
      it(`counts a query with ${title}`, async () => {
        const page = await paginate<unknown>(query, { page: 1, size: 100 })
        assert.deepEqual([page.total, page.items.length], [total, total])
      })
    }

    it('works beside other plugins and in a transaction', async () => {
      const page = await database.transaction().execute((transaction) => {
        const query = transaction.withPlugin(new CamelCasePlugin()).selectFrom(table).selectAll().orderBy('id')
        return paginate(query, { page: 1, size: 1 })
      })
      assert.deepEqual([page.items, page.total], [[{ id: 1, groupName: 'odd' }], 7])
    })
  })
}

describe('paginate() with a response', () => {
  class ListController extends WSGIController {
    async index() {
      const page = Number(this.request.query.get('page') ?? 1)
      return (await paginate(numbers(5), { page, size: 2, response: this.response })).items
    }
  }
  const app = new FrameworkApp({
    map: new Mapper().connect('/ü/list', { controller: 'list', action: 'index' }),
    controllers: { list: ListController },
  })
  const link = async (url: string, environ = {}) => (await new TestApp(app).get(url, { environ })).headers.get('link')

  for (const [url, expected] of [
    ['/%C3%BC/list', '</%C3%BC/list?page=2>; rel="next"'],
    ['/%C3%BC/list?page=3', '</%C3%BC/list?page=2>; rel="prev"'],
    [
      '/%C3%BC/list?q=a%26b&page=2&page=9&tag=x&tag=%3E',
      '</%C3%BC/list?q=a%26b&page=1&tag=x&tag=%3E>; rel="prev", </%C3%BC/list?q=a%26b&page=3&tag=x&tag=%3E>; rel="next"',
    ],
  ] as const) {
    it(`adds the links ${expected}`, async () => assert.equal(await link(url), expected))
  }

  it('adds no link to a list of one page, and none to 404', async () => {
    assert.equal((await new TestApp(app).get('/%C3%BC/list?page=4')).status, 404)
    assert.equal(await link('/%C3%BC/list?page=4'), null)
  })

  it('refuses a response that belongs to no request', () =>
    assert.rejects(paginate([1], { page: 1, size: 1, response: new Response() }), /this\.response/))
})
