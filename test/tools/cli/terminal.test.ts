import assert from 'node:assert/strict'
import { PassThrough, Readable, Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { hasColour } from '../../../src/base/colour.ts'
import { Progress } from '../../../src/base/command-line/progress.ts'
import { columns, formatted, type Line, print, styled } from '../../../src/base/command-line/terminal.ts'
import { docPages } from '../../../src/tools/cli/doc-pages.ts'
import { markdownLines } from '../../../src/tools/cli/markdown.ts'

describe('colour', () => {
  const table: [isTTY: boolean, env: Record<string, string>, colour: boolean][] = [
    [true, {}, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, {}, false],
    [false, { FORCE_COLOR: '1' }, false],
  ]
  for (const [isTTY, env, colour] of table) {
    test(`${isTTY ? 'on a terminal' : 'in a pipe'} with ${JSON.stringify(env)}: ${colour}`, () => {
      assert.equal(hasColour({ isTTY }, env), colour)
      assert.equal(written([styled('bold', 'x')], { isTTY, env }), colour ? '\u001b[1mx\u001b[22m\n' : 'x\n')
    })
  }
})

describe('text from outside', () => {
  for (const isTTY of [true, false]) {
    test(`is escaped ${isTTY ? 'on a terminal' : 'in a pipe'}, and colours stay`, () => {
      const text = '\x1b[2J\x9b31m\u202e'
      const shown = '\\u001b[2J\\u009b31m\\u202e'
      const name = isTTY ? '\x1b[31mname\x1b[39m' : 'name'
      assert.equal(written([text, [styled('red', 'name'), text]], { isTTY }), `${shown}\n${name}${shown}\n`)
      assert.equal(
        written([styled('red', text)], { isTTY }),
        isTTY ? `\x1b[31m${shown}\x1b[39m\n` : `${shown}\n`,
      )
    })
  }
})

test('columns are as wide as the text that is printed', () => {
  const rows = columns([
    [styled('bold', 'a'), 'x'],
    ['\x9b', 'y'],
    ['c', ''],
    ['', styled('cyan', 'z')],
  ])
  assert.equal(written(rows), 'a       x\n\\u009b  y\nc\n        z\n')
})

describe('Markdown in a terminal', () => {
  for (const [what, text, lines] of [
    ['headings', '## The `name`', '<dim>## </><bold>The name</>'],
    ['paragraphs, broken at blanks', 'one two three\nfour', 'one two\nthree four'],
    ['code in lines', 'a `b  c` d', 'a <cyan>b c</> d'],
    ['bold and emphasized text', '**a** *b* 2*3*4', '<bold>a</> <italic>b</> 2*3*4'],
    ['links to pages', '[a b](c.md#d).', '<underline>a b</>.'],
    ['links to other sites', '[a](http://b)', '<underline>a</>\n<dim><http://b></>'],
    ['items of lists', '- one two three\n  four\n- five', '• one two\n  three\n  four\n• five'],
    ['numbered items', '1. one two\n2. three', '1. one two\n2. three'],
    ['quotes', '> one two three\n> four', '│ one two\n│ three\n│ four'],
    [
      'blocks of code, unbroken',
      '```ts\nconst a = "b  c" // d\n\n```\nx',
      '  <green>const a = "b  c" // d</>\n\nx',
    ],
    ['blank lines', 'a\n\nb', 'a\n\nb'],
  ] as const) {
    test(`has ${what}`, () => assert.equal(shown(text, 10), lines))
  }

  test('has tables in columns, of which the last is broken', () => {
    const table = '| a | b |\n|---|---:|\n| `x \\| y` | one two three four five six seven eight |\n| z | |'
    assert.equal(
      shown(table, 40),
      [
        '<bold>a</>      <bold>b</>',
        '<cyan>x | y</>  one two three four five six seven',
        '       eight',
        'z',
      ].join('\n'),
    )
  })

  test('escapes control characters', () => assert.equal(shown('a\u001b[2Jb'), 'a\\u001b[2Jb'))

  test('shows each page of the documentation with all of its words', () => {
    for (const { path, text } of docPages()) {
      const words = (part: string) => part.replaceAll(/[^\p{L}\d]+/gu, '')
      const lines = formatted({}, {}, markdownLines(text, 80))
      // Without the languages of blocks and the destinations of links.
      const written = text.replaceAll(/^\s*```.*$/gm, '').replaceAll(/\]\((?![a-z]+:)[^)\s]+\)/g, ']')
      const seen = words(lines)
      for (const word of written.match(/[\p{L}\d]{3,}/gu) ?? [])
        assert.ok(seen.includes(word), `${path}: ${word}`)
    }
  })
})

for (const [isTTY, text] of [
  [true, 'one\\u009b\r\u001b[K'],
  [false, ''],
] as const) {
  test(`progress is ${isTTY ? 'one line that disappears' : 'not in a file'}`, () => {
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
    {
      using _progress = new Progress(
        { cwd: '', env: {}, stdin: Readable.from([]), stdout: stderr, stderr },
        'one\x9b',
      )
    }
    assert.equal(stderr.read() ?? '', text)
  })
}

/** Returns the output of print(). */
function written(
  lines: readonly Line[],
  { isTTY = false, env = {} }: { isTTY?: boolean; env?: Record<string, string> } = {},
): string {
  let text = ''
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  print(
    { cwd: '', env, stdin: Readable.from([]), stdout: Object.assign(stdout, { isTTY }), stderr: stdout },
    ...lines,
  )
  return text
}

/** Tags in place of the escape sequences of styles. */
const TAGS: readonly (readonly [code: number, tag: string])[] = [
  [1, '<bold>'],
  [2, '<dim>'],
  [3, '<italic>'],
  [4, '<underline>'],
  [32, '<green>'],
  [36, '<cyan>'],
  [22, '</>'],
  [23, '</>'],
  [24, '</>'],
  [39, '</>'],
]

/** Returns the lines of a page, with styles as tags. */
function shown(text: string, columns = 60): string {
  return TAGS.reduce(
    (lines, [code, tag]) => lines.replaceAll(`\u001b[${code}m`, tag),
    formatted({ isTTY: true }, {}, markdownLines(text, columns)),
  ).trimEnd()
}
