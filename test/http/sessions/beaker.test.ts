/** The values were written by CookieSession of Beaker 1.13 on Python 3.11. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { readBeaker } from 'propylon/sessions'

const COOKIES = [
  [
    'secret',
    '{"user": "ann", "n": [1, 2.5, null, true], "nested": {"__proto__": {"x": 1}}, "_domain": null, "_path": "/", "_id": "00000000000000000000000000000000", "_creation_time": 1700000000.5, "_accessed_time": 1700000100.25}',
    '240420b7bbc1339b8dfef08599b0eb92b87c58e9eJyFjdEKwjAMRX+l5HlMOxiCvyISQhuwsLWjTUEY/XebiS++LE+5nJucHdCnlUKEu4l1WQYDuJG8eoQLaApe9+vJHFWXmSSkiBJW7lf29sPj3HktnPUXxah1VT7sYCaFX7fkyk9FXITVuwPilpMkxCO99WtrKiPnuBT2fzLbZdPcPgmVOkQ=',
  ],
  [
    'ключ é',
    '{"name": "Žofie 😀", "flash": ["a", "b"], "_domain": null, "_path": "/", "_id": "00000000000000000000000000000000", "_creation_time": 1700000000.5, "_accessed_time": 1700000100.25}',
    'ba2ada4168afb5eb81242d0034b8908d0079efeaeJyrVopPyc9NzMxTslLIK83J0VFQii9ILMkAcpX0lUC8zBQQ24AAACtNLkpNLMnMz4svycxNBeoyNIdJ65kC5fMSwaJKMaUGhuYp+WmZqQoxpSkWxilAMhViRFpOYjHI7milRBA3SSkWZG5icnJqcXFqCpq5hkBzjUxrAY0hM5c=',
  ],
  [
    'secret',
    '{"_domain": null, "_path": "/", "_id": "00000000000000000000000000000000", "_creation_time": 1700000000.5, "_accessed_time": 1700000100.25}',
    '0a8ec449af0cb6cf5f4ace1fb945f8a2c52cb01aeJyrVopPyc9NzMxTslLIK83J0VFQii9ILMkAcpX0lUC8zBQQ24AAACtNLkpNLMnMz4svycxNBeoyNIdJ65mC5BOTk1OLi1NT0OQNgfJGprUA6N4j8w==',
  ],
] as const

const PICKLE =
  '801e3927f38ef7b69127874ab72a4226037522f5gAJ9cQAoWAcAAABfZG9tYWlucQFOWAUAAABfcGF0aHECWAEAAAAvcQNYAwAAAF9pZHEEWCAAAAAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMHEFWA4AAABfY3JlYXRpb25fdGltZXEGR0HZVPxAIAAAWAQAAAB1c2VycQdYAwAAAGFubnEIWA4AAABfYWNjZXNzZWRfdGltZXEJR0HZVPxZEAAAdS4='

const read = (value: string | undefined, secret = 'secret', timeout?: number) =>
  readBeaker(value, { secret, type: 'cookie', timeout })

function signed(data: string, secret = 'secret'): string {
  return createHmac('sha1', secret).update(data).digest('hex') + data
}

describe('readBeaker', () => {
  for (const [secret, values, value] of COOKIES) {
    test(`reads ${values}`, () => {
      assert.equal(
        JSON.stringify(Object.entries(read(value, secret) ?? {}).sort()),
        JSON.stringify(Object.entries(JSON.parse(values)).sort()),
      )
      assert.ok(read(`"${value}"`, secret))
    })
  }

  test('reads JSON that is not compressed', () => {
    assert.deepEqual({ ...read(signed(btoa('{"user":"ann"}'))) }, { user: 'ann' })
  })

  const [, , value] = COOKIES[0]
  for (const [what, wrong] of Object.entries({
    'no cookie': undefined,
    'an empty value': '',
    'a changed signature': `0${value.slice(1)}`.replace(/^00/, '11'),
    'changed data': `${value.slice(0, -6)}A${value.slice(-5)}`,
    'no data': value.slice(0, 40),
    'a short value': 'abc',
    'a signature in capitals': value.slice(0, 40).toUpperCase() + value.slice(40),
    'a pickle': PICKLE,
    'a value that is not an object': signed(deflateSync('[1]').toString('base64')),
    'malformed JSON': signed(deflateSync('{"a":NaN}').toString('base64')),
    'malformed base64': signed('%%%'),
    'a value beyond the limit': signed(deflateSync('{}').toString('base64') + ' '.repeat(9000)),
    'JSON beyond the limit': signed(deflateSync(`{"a":"${'x'.repeat(2 ** 20)}"}`).toString('base64')),
  })) {
    test(`returns undefined for ${what}`, () => assert.equal(read(wrong), undefined))
  }

  test('returns undefined for another secret', () => assert.equal(read(value, 'other'), undefined))

  test('returns undefined for an expired session', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_700_000_160_000 })
    assert.equal(read(value, 'secret', 60)?.user, 'ann')
    t.mock.timers.setTime(1_700_000_161_000)
    assert.equal(read(value, 'secret', 60), undefined)
    assert.equal(read(value)?.user, 'ann')
  })

  test('has no prototype', () => assert.equal(Object.getPrototypeOf(read(value)), null))

  test('refuses an empty secret and another type', () => {
    assert.throws(() => read(value, ''), { name: 'TypeError', message: /validate_key/ })
    assert.throws(() => readBeaker(value, { secret: 's', type: 'file' as 'cookie' }), { message: /"file"/ })
  })
})
