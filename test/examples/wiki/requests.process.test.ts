/** Random requests made from the document of the wiki, sent by an admin and by a visitor. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { assertAnswersAsDocumented, type Tally } from '../../app/openapi/random-requests.ts'
import { ADMIN_PASSWORD, describeWiki } from './wiki.ts'

const CREDENTIALS = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`

describeWiki('random requests to the wiki', (wiki) => {
  const sendAs = async (headers: Readonly<Record<string, string>>): Promise<Tally> =>
    assertAnswersAsDocumented(
      {
        document: Object(await (await fetch(`${wiki().url}/openapi.json`)).json()),
        idMembers: ['title', 'version', 'name'],
        send(request) {
          const sent = new Request(wiki().url + request.url.slice('http://localhost'.length), request)
          for (const [name, value] of Object.entries(headers)) sent.headers.set(name, value)
          return fetch(sent)
        },
        // Titles have rules of their own, a page that exists is not created again, and a file needs a form.
        isBeyondSchema: ({ status, errors }) =>
          [401, 409, 415].includes(status) ||
          (status === 400 && errors.length > 0 && errors.every(({ name }) => ['title', 'content'].includes(name))),
      },
      150,
    )

  it('of an admin are answered as the document says', async () => {
    const { valid, succeeded } = await sendAs({ authorization: CREDENTIALS })
    assert.ok(valid > 50, `only ${valid} requests were valid`)
    for (const id of ['admin_users_index', 'pages_create', 'pages_index', 'search_index'])
      assert.ok(succeeded.has(id), id)
  })

  it('of a visitor are answered as the document says', async () => {
    const { succeeded } = await sendAs({})
    assert.ok(succeeded.has('pages_index'))
    assert.deepEqual(
      [...succeeded].filter((id) => /_(?:create|update|delete)$/.test(id)),
      [],
    )
  })
})
