import assert from 'node:assert/strict'
import module from 'node:module'
import { before, describe, it } from 'node:test'
import { Script } from 'node:vm'
import { type Checked, check, DEFAULT_ROUTES, project, routing } from './project.ts'

/** Text of a module, and words of the finding; none for text that Node runs. */
const TEXTS: readonly (readonly [text: string, says?: string])[] = [
  ['enum Colour { red }', 'the enum Colour'],
  ['export const enum Colour { red }', 'the enum Colour'],
  ['declare enum Colour { red }'],
  ['export declare enum Colour { red }'],
  ['namespace Texts { export const a = 1 }', 'the namespace Texts'],
  ['namespace Outer { export namespace Inner { export const a = 1 } }', 'the namespace'],
  ['namespace Texts { export type A = 1 }'],
  ['declare namespace Texts { const a: 1 }'],
  ['declare global { interface A {} }\nexport {}'],
  ['export class A { constructor(private readonly x: string) {} }', 'a parameter property'],
  ['export class A { constructor(readonly x: string) {} }', 'a parameter property'],
  ['export class A { declare x: string; private readonly y = 1 }'],
  ['import fs = require("node:fs")', 'import … ='],
  ['import type fs = require("node:fs")'],
  ['export = 1', 'export ='],
  ['export const a = <string>JSON.parse("1")', 'angle brackets'],
  ['export const a = <const>["b"]'],
  ['export const a = <T,>(value: T) => value as T'],
  ['export abstract class A { abstract x(): void }'],
  ['class A { @Object.freeze x() {} }', 'a decorator'],
  ['@Object.freeze class A {}', 'a decorator'],
  ['class A { accessor x = 1 }', 'an accessor field'],
  ['class A { accessor = 1; get x() { return 1 } }'],
]

/** Returns true if Node removes the types of a text, and compiles the rest. */
function isRunByNode(text: string): boolean {
  try {
    const script = module.stripTypeScriptTypes(text).replace(/^(?:im|ex)port .*$/gm, '')
    return new Script(script) instanceof Script
  } catch {
    return false
  }
}

describe('check refuses syntax that Node does not run', () => {
  let checked: Checked
  before(async () => {
    const files = TEXTS.flatMap(([text], index) => [
      [`lib/m${index}.ts`, `${text}\n`],
      [
        `controllers/c${index}.ts`,
        `import '../lib/m${index}.ts'\nimport { BaseController } from '../lib/base.ts'\n\nexport class C${index}Controller extends BaseController {\n  index() { return 'x' }\n}\n`,
      ],
    ])
    checked = await check(
      project({ 'config/routing.ts': routing(...DEFAULT_ROUTES), ...Object.fromEntries(files) }),
    )
  })

  for (const [index, [text, says]] of TEXTS.entries()) {
    it(`${says === undefined ? 'but not ' : ''}${text.replaceAll('\n', ' ')}`, () => {
      assert.equal(isRunByNode(text), says === undefined, 'Node decides')
      const found = checked.findings.filter(({ file }) => file === `lib/m${index}.ts`)
      assert.deepEqual(
        [...new Set(found.map(({ code, severity, line }) => `${code} ${severity} ${line}`))],
        says === undefined ? [] : ['syntax-unsupported error 1'],
      )
      if (says !== undefined) assert.ok(found[0]?.message.includes(says), found[0]?.message)
    })
  }
})

it('names the enum of an application that does not load', async () => {
  const { status, findings } = await check(
    project({
      'config/routing.ts':
        "import './colours.ts'\nimport { Mapper } from 'propylon'\n\nexport const map = new Mapper()\n",
      'config/colours.ts': '\nexport enum Colour { red }\n',
    }),
  )
  assert.deepEqual(
    findings.map(({ code, file, line, column }) => [code, file, line, column]),
    [['syntax-unsupported', 'config/colours.ts', 2, 8]],
  )
  assert.equal(status, 1)
})
