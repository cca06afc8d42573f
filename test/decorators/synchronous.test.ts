import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from '../../src/controllers/wsgi-controller.ts'
import {
  authenticateForm,
  authenticationToken,
  cached,
  decorate,
  dispatchOn,
  https,
  jsonify,
  restrict,
  validate,
} from '../../src/decorators/index.ts'
import { createEnviron } from '../../src/wsgi/environ.ts'
import type { HeaderPair } from '../../src/wsgi/types.ts'
import { appWith } from './asking.ts'

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const

class SyncController extends WSGIController {
  action() {
    return 'at once'
  }
  _guarded() {
    return 'guarded'
  }
  token() {
    return authenticationToken(this.session)
  }

  static {
    decorate(this, {
      action: [
        https(),
        restrict('GET', 'POST', 'PUT'),
        dispatchOn({ PUT: '_guarded' }),
        validate(anything, { onGet: true }),
        cached({ expires: 60 }),
        jsonify,
      ],
      _guarded: [authenticateForm],
    })
  }
}

const { app, ask } = appWith(SyncController)
const visit = await ask('/token')

describe('a decorated action that waits for nothing answers at once', () => {
  const rows: [label: string, method: string, headers: HeaderPair[]][] = [
    ['on GET', 'GET', []],
    ['on GET once more, from the cache', 'GET', []],
    [
      'with its token in a header',
      'PUT',
      [
        ['Cookie', visit.header('set-cookie')?.split(';')[0] ?? ''],
        ['X-CSRF-Token', visit.text],
      ],
    ],
  ]
  for (const [label, method, headers] of rows) {
    it(label, () => {
      let status = ''
      const environ = createEnviron({ method, url: 'https://localhost/test/action', headers })
      const body = app.wsgi(environ, (given) => {
        status = given
        return () => {}
      })
      assert.ok(!(body instanceof Promise))
      assert.equal(status, '200 OK')
    })
  }
})
