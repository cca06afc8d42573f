import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as propylon from 'propylon'
import { GenerationError, RouteDefinitionError } from 'propylon/routing'
import { BodyMemoryError, ClientDisconnected, ServerClosing } from 'propylon/wsgi'
import { ROOT } from './blocks.ts'

const page = readFileSync(join(ROOT, 'docs/reference/error-codes.md'), 'utf8')
const codes = [...page.matchAll(/^### (\w+)$/gm)].map(([, code = '']) => code)

const errors: readonly (Error & { readonly code: string })[] = [
  new propylon.ActionNotFound('UsersController', 'list', ['index']),
  new propylon.ParameterNamesError('UsersController.show', 'its parameters cannot be read'),
  new propylon.ArgumentNotSupplied('idd', 'UsersController.show() takes the argument "idd".', 'Did you mean "id"?'),
  new propylon.ForgottenResultError('UsersController.index'),
  new propylon.UnusableResultError('UsersController.count', 42),
  new propylon.ResultSchemaError('UsersController.show', [{ path: ['name'], message: 'must be text' }]),
  new propylon.ReservedMemberError('UsersController', 'session'),
  new propylon.NoRequestError('UsersController'),
  new propylon.ControllerNotFound('users', '/users', []),
  new propylon.ControllerLoadError('users', 'it exports nothing.'),
  new propylon.AssetNotFound('logo.svg', '/srv/site/public', undefined),
  new ClientDisconnected(),
  new ServerClosing(),
  new BodyMemoryError(1024),
  new RouteDefinitionError('E_ROUTE_SYNTAX', 'The path is malformed.', 'Close the brace.'),
  new GenerationError('E_ROUTE_UNKNOWN', 'There is no route named "hom".', 'Did you mean "home"?'),
]

describe('the codes of errors', () => {
  for (const { name, code, message } of errors) {
    it(`have a section, which the message of ${name} names`, () => {
      assert.ok(codes.includes(code), code)
      assert.ok(message.endsWith(`[${code}]`), message)
    })
  }

  it('are all of those of the classes', () => {
    const others = codes.filter((code) => !code.startsWith('E_'))
    assert.deepEqual(
      others,
      errors.map(({ code }) => code).filter((code) => !code.startsWith('E_')),
    )
    assert.equal(codes.length - others.length, 11)
  })
})
