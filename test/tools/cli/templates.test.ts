import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { projectFiles } from '../../../src/tools/cli/project-files.ts'
import { importPath, projectTemplate, substitute } from '../../../src/tools/cli/templates.ts'
import { pageAt } from '../../docs/blocks.ts'

describe('words of a template are replaced', () => {
  const table: [text: string, result: string][] = [
    ['a thing of things', 'a comment of comments'],
    ['something, thingummy', 'something, thingummy'],
    ['area_thing', 'admin_comment'],
    ["'area/things'", "'admin/comments'"],
    ['/area/things/{id}', '/admin/comments/{id}'],
    ['toString constructor', 'toString constructor'],
  ]
  const words = {
    thing: 'comment',
    things: 'comments',
    area_thing: 'admin_comment',
    'area/things': 'admin/comments',
  }
  for (const [text, result] of table) {
    test(`${text} → ${result}`, () => assert.equal(substitute(text, words), result))
  }
  test('in one pass, so that replacements are not replaced again', () => {
    assert.equal(substitute('a b', { a: 'b', b: 'a' }), 'b a')
  })
})

test('imports are relative to the importing file', () => {
  assert.equal(importPath('controllers/hello.ts', 'lib/base.ts'), '../lib/base.ts')
  assert.equal(importPath('controllers/a/b/hello.ts', 'lib/base.ts'), '../../../lib/base.ts')
  assert.equal(importPath('app.ts', 'config/routing.ts'), './config/routing.ts')
})

test('a new project has its files under their final names', () => {
  const paths = projectTemplate().map(({ path }) => path)
  for (const path of ['.gitignore', 'package.json', 'tsconfig.json', 'app.ts', 'templates/layout.eta']) {
    assert.ok(paths.includes(path), path)
  }
  assert.ok(paths.every((path) => !path.includes('_package') && !path.includes('\\')))
})

for (const name of ['Dockerfile', '.dockerignore']) {
  test(`the ${name} of a created project is that of the production guide`, () => {
    const file = projectTemplate().find(({ path }) => path === name)
    const block = pageAt('docs/guides/production.md').blocks.find((each) => each.file === name)
    assert.equal(file?.text, block?.code)
  })
}

describe('the npm package node', () => {
  const parts = {
    database: undefined,
    sessions: undefined,
    login: false,
    worker: false,
    example: false,
    propylon: undefined,
  }
  for (const [version, isListed] of [
    ['20.20.2', true],
    ['22.17.1', true],
    ['22.18.0', false],
    ['24.1.0', false],
  ] as const) {
    test(`is ${isListed ? '' : 'not '}listed in a project that Node ${version} creates`, () => {
      const text = projectFiles('x', parts, version).find(({ path }) => path === 'package.json')?.text ?? ''
      const { devDependencies, allowScripts, engines } = JSON.parse(text)
      assert.deepEqual(['node' in devDependencies, 'node' in allowScripts], [isListed, isListed])
      assert.deepEqual(engines, { node: '>=22.18' })
    })
  }
})
