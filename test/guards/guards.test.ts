import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { attack, type Site } from './attack.ts'
import { FACES, guardedSite, OPENED, PUBLIC, TOKEN } from './guarded-site.ts'
import { RawClient } from './raw-requests.ts'
import { requestBytes } from './requests.ts'

for (const face of FACES)
  describe(`guards, ${face}`, () => {
    let site: Site & AsyncDisposable
    let client: RawClient
    before(async () => {
      site = await guardedSite(face)
      client = new RawClient(site.port)
    })
    after(async () => {
      client.close()
      await site[Symbol.asyncDispose]()
    })

    it('show the secret of each target to requests with the token', async () => {
      for (const target of OPENED) {
        const response = await client.send(requestBytes(target, { fields: [`X-Token: ${TOKEN}`] }))
        assert.ok(response.includes(site.secret), `${JSON.stringify(target)}: ${response}`)
      }
    })

    it('do not refuse what is public', async () => {
      for (const path of PUBLIC) assert.match(await client.send(requestBytes({ path })), /^HTTP\/1\.1 200 /, path)
    })

    it('show no secret to 3,000 requests with other spellings, methods and header fields', async () => {
      const { sent, shown, statuses } = await attack(site, { count: 3000 })
      assert.deepEqual(shown, [])
      assert.equal(sent, 3000)
      const { 401: refused = 0, 500: failed = 0 } = statuses
      assert.ok(refused > 300, `only ${refused} of the spellings reached a guard`)
      assert.equal(failed, 0)
    })
  })
