import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { env, SettingsError } from 'propylon'
import { bool, int, optional, string } from 'propylon/converters'
import * as v from 'valibot'

describe('env', () => {
  it('returns typed values, and defaults for missing and empty variables', () => {
    const variables = { PORT: '8080', HOST: '', DEBUG: 'true', OTHER: 'x' }
    const settings = env({ PORT: int, HOST: optional(string, 'localhost'), DEBUG: optional(bool, false) }, variables)
    const port: number = settings.PORT
    const debug: boolean = settings.DEBUG
    assert.deepEqual([port, settings.HOST, debug], [8080, 'localhost', true])
    assert.deepEqual(Object.keys(settings), ['PORT', 'HOST', 'DEBUG'])
  })

  it('reads the environment of the process', () => {
    process.env.PROPYLON_TEST_SETTING = '7'
    try {
      assert.equal(env({ PROPYLON_TEST_SETTING: int }).PROPYLON_TEST_SETTING, 7)
    } finally {
      delete process.env.PROPYLON_TEST_SETTING
    }
  })

  it('names every wrong setting in one error', () => {
    assert.throws(
      () =>
        env({ PORT: int, WORKERS: int, SECRET: string, FINE: string }, { PORT: 'eighty', WORKERS: '1.5', FINE: 'x' }),
      (error) => {
        assert.ok(error instanceof SettingsError)
        assert.deepEqual(
          error.problems.map((problem) => problem.split(':')[0]),
          ['PORT', 'WORKERS', 'SECRET'],
        )
        assert.match(
          error.message,
          /^3 settings are wrong in the environment:\n {2}PORT: .*\n {2}WORKERS: .*\n {2}SECRET: is missing$/,
        )
        return true
      },
    )
  })

  it('never shows the value of a secret', () => {
    const secret = 'hunter2-hunter2'
    const email = v.pipe(v.string(), v.email())
    const variables = { SECRET: secret, DATABASE_URL: `postgres://joe:${secret}@db/app` }
    const uuid = v.pipe(v.string(), v.uuid())
    assert.throws(
      () => env({ SECRET: email, DATABASE_URL: uuid, SPARE_URL: int }, { ...variables, SPARE_URL: secret }),
      (error) => {
        assert.ok(error instanceof SettingsError)
        assert.equal(error.problems.length, 3)
        assert.ok(!`${error.stack}`.includes(secret), error.message)
        return true
      },
    )
  })

  it('refuses an asynchronous schema', () => {
    const schema = v.pipeAsync(
      v.string(),
      v.checkAsync(async () => true),
    )
    assert.throws(() => env({ A: schema }, { A: 'x' }), { name: 'TypeError', message: /asynchronous/ })
  })

  it('takes schemas that are functions', () => {
    const callable = Object.assign(() => undefined, { '~standard': int['~standard'] })
    assert.deepEqual({ ...env({ PORT: callable }, { PORT: '80' }) }, { PORT: 80 })
  })

  it('names the setting whose converter is no schema', () => {
    for (const converter of [undefined, Number]) {
      assert.throws(() => Reflect.apply(env, undefined, [{ PORT: converter }, { PORT: '1' }]), {
        name: 'TypeError',
        message: /^env\(\): PORT is .*\. Pass a Standard Schema/,
      })
    }
  })
})
