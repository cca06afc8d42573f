import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WSGIController } from 'propylon'
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
} from 'propylon/decorators'
import { createEnviron, type HeaderPair } from 'propylon/wsgi'
import { appWith } from './sending.ts'

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

const { app, send } = appWith(SyncController)
const visit = await send('/token')

describe('a synchronous action with decorators responds synchronously', () => {
  const rows: [label: string, method: string, headers: HeaderPair[]][] = [
    ['on GET', 'GET', []],
    ['on GET from the cache', 'GET', []],
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
