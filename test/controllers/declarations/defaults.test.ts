/** Bodies with optional fields. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { body } from 'propylon/converters'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'
import * as z from 'zod'

const BY_VALIBOT = v.object({
  title: v.string(),
  days: v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(Number)), 14),
})
const BY_ZOD = z.object({ title: z.string(), days: z.coerce.number().default(14) })

class LoansController extends WSGIController {
  static args = {
    valibot: { loan: body(BY_VALIBOT) },
    zod: { loan: body(BY_ZOD) },
    whole: { loan: body(v.optional(BY_VALIBOT, { title: 'Emma' })) },
  }
  valibot(loan: v.InferOutput<typeof BY_VALIBOT>) {
    return loan
  }
  zod(loan: z.infer<typeof BY_ZOD>) {
    return loan
  }
  whole(loan = { title: 'Persuasion', days: 1 }) {
    return loan
  }
}

const app = new TestApp(
  new FrameworkApp({
    map: new Mapper().connect('/{action}', { controller: 'loans' }),
    controllers: { loans: LoansController },
  }),
)

describe('a field with a default', () => {
  for (const action of ['/valibot', '/zod', '/whole']) {
    it(`may be left out of JSON: ${action}`, async () => {
      const response = await app.postJson(action, { title: 'Emma' })
      assert.deepEqual(response.json(), { title: 'Emma', days: 14 })
    })

    it(`may be left out of a form: ${action}`, async () => {
      const response = await app.post(action, { title: 'Emma' })
      assert.deepEqual(response.json(), { title: 'Emma', days: 14 })
    })
  }
})
