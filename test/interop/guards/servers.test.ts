/**
 * Sends the spellings of test/guards to other servers, at versions with known advisories and at later ones. It shows that the
 * spellings find what the advisories describe.
 *
 * PROPYLON_FULL_SIZE=1 sends 100,000 requests to each instead of 3,000.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attack } from '../../guards/attack.ts'
import { RawClient } from '../../guards/raw-requests.ts'
import { requestBytes } from '../../guards/requests.ts'
import { SERVERS, start, TOKEN } from './servers.ts'

const count = process.env.PROPYLON_FULL_SIZE === '1' ? 100_000 : 3000

for (const server of SERVERS) {
  describe(server.name, { timeout: 1_800_000 }, () => {
    for (const versions of ['affected', 'fixed'] as const) {
      it(`guards the documented paths (${versions})`, async () => {
        await using site = await start(server, versions)
        const client = new RawClient(site.port)
        for (const target of site.targets) {
          assert.ok(!(await client.send(requestBytes(target))).includes(site.secret), target.path)
          const fields = [`X-Token: ${TOKEN}`]
          assert.ok((await client.send(requestBytes(target, { fields }))).includes(site.secret), target.path)
        }
        client.close()
      })
    }

    it(`shows the secret at some spellings (${server.advisories.join(', ')})`, async (test) => {
      await using site = await start(server, 'affected')
      const { sent, shown } = await attack(site, { count })
      test.diagnostic(`${server.name}: ${shown.length} of ${sent} showed the secret`)
      assert.ok(shown.length > 0)
    })

    it('shows no secret at later versions', async (test) => {
      await using site = await start(server, 'fixed')
      const { sent, shown } = await attack(site, { count })
      test.diagnostic(`${server.name}: ${shown.length} of ${sent} showed the secret`)
      assert.deepEqual(shown, [])
    })
  })
}
