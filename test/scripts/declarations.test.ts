import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Declarations } from '../../scripts/declarations.ts'
import { indentWithTabs, trimDeclarations } from '../../scripts/smaller.ts'

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
  'start.d.ts': `import type { Base } from './base.ts';
/** The options. */
export interface Options extends Base {
    /** A name. */
    readonly name: string;
}
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
export declare function hidden(): void;
`,
  'base.d.ts': `/** A base. */
export interface Base {
    /** A number. */
    readonly size: number;
}
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
    assert.doesNotMatch(text, /Not exported/)
    assert.match(text, /export declare function hidden/)
    assert.match(readFileSync(path('base.d.ts'), 'utf8'), /A base[\s\S]*A number/)
    assert.match(readFileSync(path('index.d.ts'), 'utf8'), /The entry/)
    assert.equal(existsSync(path('unused.d.ts')), false)
  })

  it('indents code, and no text, by tabs', () => {
    const code = `if (a) {\n    b(\`\n    text \${\n        c}\n    \`)\n        .d()\n}\n`
    assert.equal(indentWithTabs(code), `if (a) {\n\tb(\`\n    text \${\n\t\tc}\n    \`)\n\t\t.d()\n}\n`)
  })
})
