import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Declarations } from '../../scripts/api-surface.ts'

const folder = mkdtempSync(join(tmpdir(), 'propylon-declarations-'))
after(() => rmSync(folder, { recursive: true }))

/** As tsc writes them without comments. */
const FILES = {
  'index.d.ts': `export { type Options, start as begin } from './start.ts';
export * from './values.ts';
export type { Other } from 'another-package';
`,
  'start.d.ts': `import type { Base, Key } from './base.ts';
export interface Options extends Base {
    readonly name: string;
    [KEY]: Inner;
}
export declare const KEY: unique symbol;
export declare function start(name: string): void;
export declare function start(options: Options): void;
export interface Inner {
    readonly key: Key;
}
`,
  'base.d.ts': `export interface Base {
    readonly size: number;
}
export type Key = Names extends readonly [
    string
] ? Text : never;
type Names = readonly string[];
type Text = string;
`,
  'values.d.ts': `export declare const ONE: number;
export declare class Two {
    #private;
    get value(): string;
}
export {};
`,
}
const path = (name: string) => join(folder, name)
for (const [name, text] of Object.entries(FILES)) writeFileSync(path(name), text)

describe('Declarations', () => {
  const declarations = new Declarations()
  const names = declarations.exportsOf(path('index.d.ts'))

  it('resolves the names of an entry, with all overloads', () => {
    assert.deepEqual(
      [...names].map(([name, statements]) => [name, statements.length]),
      [
        ['Options', 1],
        ['begin', 2],
        ['Other', 1],
        ['ONE', 1],
        ['Two', 1],
      ],
    )
  })

  it('finds the types that a declaration refers to', () => {
    const [, options] = names.get('begin') ?? []
    assert.ok(options)
    const types = [...declarations.referredTo(options)].map((statement) => statement.names.join())
    assert.deepEqual(types, ['Options', 'Base'])
  })

  it('refuses an entry that exports what no module declares', () => {
    writeFileSync(path('wrong.d.ts'), "export { missing } from './values.ts';\n")
    assert.throws(() => declarations.exportsOf(path('wrong.d.ts')), /does not declare missing/)
  })
})
