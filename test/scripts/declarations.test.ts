import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Declarations } from '../../scripts/declarations.ts'
import { trimDeclarations } from '../../scripts/smaller-declarations.ts'

const folder = mkdtempSync(join(tmpdir(), 'propylon-declarations-'))
after(() => rmSync(folder, { recursive: true }))

const FILES = {
  'index.d.ts': `/**
 * The entry.
 *
 * @module
 */
export { type Options, start as begin } from './start.ts';
export * from './values.ts';
export type { Other } from 'another-package';
`,
  'start.d.ts': `import type { Base, Key, Unused } from './base.ts';
/** The options. */
export interface Options extends Base {
    /** A name. */
    readonly name: string;
    [KEY]: Inner;
}
export declare const KEY: unique symbol;
/**
 * Starts.
 *
 * @example
 * \`\`\`ts
 * import { start } from './missing.ts'
 * \`\`\`
 */
export declare function start(name: string): void;
export declare function start(options: Options): void;
/** Not exported by the entry. */
export interface Inner {
    readonly key: Key;
}
/** Not needed by the entry. */
export declare function hidden(): Unused;
`,
  'base.d.ts': `/** A base. */
export interface Base {
    /** A number. */
    readonly size: number;
}
export type Key = Names extends readonly [
    string
] ? Text : never;
type Names = readonly string[];
type Text = string;
export type Unused = true;
`,
  'values.d.ts': `export declare const ONE: number;
export declare class Two {
    #private;
    get value(): string;
}
export {};
`,
  'unused.d.ts': 'export declare const unused: true;\n',
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

describe('the build', () => {
  it('keeps the declarations and the comments that an entry needs', () => {
    trimDeclarations(folder, [path('index.d.ts')])
    const text = readFileSync(path('start.d.ts'), 'utf8')
    assert.match(text, /The options[\s\S]*\n\t\/\*\* A name\. \*\/\n\treadonly name[\s\S]*Starts/)
    assert.match(text, /export interface Inner/)
    assert.match(text, /import type \{ Base, Key \} from/)
    assert.doesNotMatch(text, /Not exported|hidden/)
    const base = readFileSync(path('base.d.ts'), 'utf8')
    assert.match(base, /A base[\s\S]*A number[\s\S]*type Key[\s\S]*type Names[\s\S]*type Text/)
    assert.doesNotMatch(base, /Unused/)
    assert.match(readFileSync(path('index.d.ts'), 'utf8'), /The entry/)
    assert.equal(existsSync(path('unused.d.ts')), false)
  })
})
