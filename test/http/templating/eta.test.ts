import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { TemplateError, templateEngine } from 'propylon'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function directory(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) write(folder, name, text)
  return folder
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

function failure(render: () => unknown): TemplateError {
  try {
    render()
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error
  }
  assert.fail('nothing was thrown')
}

const site = {
  'layouts/base.eta': '<title><%= it.title %></title><main><%~ it.body %></main>',
  'users/index.eta':
    "<% layout('layouts/base', { title: 'Users' }) %>\n<% for (const user of it.users) { %>\n<%~ include('users/row', { user }) %>\n<% } %>",
  'users/row.eta': '<li><%= user() %></li><% function user() { return it.user } %>',
  'users/relative.eta': "<%~ include('./row') %>|<%~ include('../plain') %>",
  'plain.eta': 'plain',
  'mail.txt': 'Dear <%= it.name %>',
}

for (const [kind, source] of [
  ['a record', () => site],
  ['a directory path', () => directory(site)],
  ['a directory URL', () => pathToFileURL(`${directory(site)}/`)],
] as const) {
  describe(`templates from ${kind}`, () => {
    const engine = templateEngine(source())

    test('render with a layout and partials', () => {
      assert.equal(
        engine.render('users/index', { users: ['<a>', 'b'] }),
        '<title>Users</title><main><li>&lt;a&gt;</li><li>b</li></main>',
      )
    })

    test('are named with or without the extension', () => {
      assert.equal(engine.render('plain', {}), 'plain')
      assert.equal(engine.render('plain.eta', {}), 'plain')
      assert.equal(engine.render('mail.txt', { name: 'you' }), 'Dear you')
    })

    test('are named from the folder of the template when the name begins with a dot', () => {
      assert.equal(engine.render('users/relative', { user: 'u' }), '<li>u</li>|plain')
    })

    test('throw an error with the location and the nearest name when missing', () => {
      const error = failure(() => engine.render('users/indx', {}))
      assert.equal(error.template, 'users/indx')
      assert.equal(error.line, 0)
      assert.match(error.message, /no template "users\/indx" in .*; did you mean "users\/index"\?/)
      assert.ok(error.message.includes(kind === 'a record' ? 'record' : tmpdir()))
    })

    test('report the line that includes a missing partial', () => {
      const broken = templateEngine({ 'a.eta': "one\n<%~ include('plane') %>", 'plain.eta': '' })
      const error = failure(() => broken.render('a', {}))
      assert.deepEqual([error.template, error.line], ['a.eta', 2])
      assert.match(error.reason, /no template "plane".*did you mean "plain"/)
    })
  })
}

describe('template output', () => {
  for (const [title, text, values, expected] of [
    ['escapes markup and both quotes', '<%= it.x %>', { x: `<&>"'` }, '&lt;&amp;&gt;&quot;&#39;'],
    ['leaves raw output as it is', '<%~ it.x %>', { x: '<b>' }, '<b>'],
    ['writes nothing for null and undefined', '[<%= it.x %><%= it.y %>]', { x: null }, '[]'],
    ['writes zero and false', '<%= it.x %> <%= it.y %>', { x: 0, y: false }, '0 false'],
    ['takes a comment at the end of an output', '<%= it.x // why %>', { x: 1 }, '1'],
    ['takes a helper from the values', '<%= it.up(it.x) %>', { x: 'a', up: (s: string) => s.toUpperCase() }, 'A'],
    ['keeps backslashes, quotes and template literals in text', '\\n \' " `$` {it.x}', {}, '\\n \' " `$` {it.x}'],
    ['writes nothing for an empty output', 'a<%= %>b', {}, 'ab'],
    ['captures a piece', '<% const s = capture(() => { %>a<% }) %><%= s %><%= s %>', {}, 'aa'],
    ['shows the word await in text without waiting', '<%= "await" %> await', {}, 'await await'],
  ] as const) {
    test(title, () => {
      assert.equal(templateEngine({ t: text }).render('t', values), expected)
    })
  }

  test('blocks of a layout are filled by the page', () => {
    const engine = templateEngine({
      layout: "<nav><%~ block('nav', () => { %>default<% }) %></nav><%~ it.body %>",
      page: "<% layout('layout') %><% block('nav', () => { %>mine<% }) %>text",
      bare: "<% layout('layout') %>text",
    })
    assert.equal(engine.render('page', {}), '<nav>mine</nav>text')
    assert.equal(engine.render('bare', {}), '<nav>default</nav>text')
  })

  test('any text without tags is written unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('<%'))
        assert.equal(templateEngine({ t: text }).render('t', {}), text.replace(/\r\n|\r/g, '\n'))
      }),
    )
  })

  test('any value is escaped and complete', () => {
    const engine = templateEngine({ t: '<%= it.x %>' })
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (x) => {
        const html = String(engine.render('t', { x }))
        assert.ok(!/[<>"']/.test(html))
        const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
        assert.equal(
          html.replace(/&(#?\w+);/g, (_, name: string) => entities[name] ?? '?'),
          x,
        )
      }),
    )
  })

  test('rendering does not change the values', () => {
    const values = Object.freeze({ x: 1 })
    const engine = templateEngine({
      t: "<% it.x = 2; it.y = 3; layout('l', { z: 1 }) %><%~ include('p', { x: 4 }) %>",
      p: '<% it.x = 5 %>',
      l: '<% it.w = 1 %><%= it.x %>',
    })
    assert.equal(engine.render('t', values), '2')
    assert.deepEqual(values, { x: 1 })
  })
})

describe('names', () => {
  const engine = templateEngine(directory({ 'a.eta': 'a', 'in/b.eta': "<%~ include('../../secret') %>" }))
  const absolute = join(tmpdir(), 'x')
  for (const name of [
    '',
    '../a',
    'in/../../a',
    'in/../a',
    './a',
    '..',
    '/a',
    absolute,
    '//a',
    'in//b',
    'a\0',
    'a\0.eta',
    'a\nb',
    'in\\b',
    'C:a',
    'file:///a',
    'a/',
    'x'.repeat(201),
    '\ud800',
  ]) {
    test(`${JSON.stringify(name.slice(0, 20))} is refused`, () => {
      const error = failure(() => engine.render(name, {}))
      assert.match(error.reason, /is not a template name/)
    })
  }

  test('a relative name cannot lead out of the root', () => {
    const error = failure(() => engine.render('in/b', {}))
    assert.match(error.reason, /"\.\.\/\.\.\/secret" is not a template name: it leads out/)
    assert.deepEqual([error.template, error.line], ['in/b.eta', 1])
  })

  test('inherited properties of a record are not templates', () => {
    const bare = templateEngine({ a: '' })
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      assert.match(failure(() => bare.render(name, {})).reason, /no template/)
    }
  })

  test('a folder is not a template', () => {
    assert.match(failure(() => engine.render('in', {})).reason, /no template "in"/)
  })

  test('a name with quotes or comments is not executed', () => {
    const names = ["x'+process.exit(3)+'", 'x*/process.exit(3)/*', 'x`+process.exit(3)+`']
    for (const name of names) {
      assert.match(
        failure(() => templateEngine({ [name]: '<% throw new Error("no") %>' }).render(name, {})).reason,
        /^no$/,
      )
    }
  })

  test('a missing directory is named in the error', () => {
    const gone = templateEngine(join(tmpdir(), 'no-such-folder-of-templates'))
    assert.match(failure(() => gone.render('a', {})).reason, /no-such-folder-of-templates, which does not exist/)
  })
})

describe('reading', () => {
  const files = {
    'page.eta': "<% layout('base') %>1<%~ include('part') %>",
    'part.eta': '1',
    'base.eta': '1<%~ it.body %>',
  }

  for (const changed of ['page', 'part', 'base'] as const) {
    test(`a change of ${changed} takes effect in debug mode`, () => {
      const folder = directory(files)
      const engine = templateEngine(folder, { debug: true })
      assert.equal(engine.render('page', {}), '111')
      write(folder, `${changed}.eta`, files[`${changed}.eta`].replace('1', '2'))
      assert.equal(engine.render('page', {}), { page: '121', part: '112', base: '211' }[changed])
    })

    test(`${changed} is read once in production`, () => {
      const folder = directory(files)
      const engine = templateEngine(folder)
      assert.equal(engine.render('page', {}), '111')
      write(folder, `${changed}.eta`, 'changed')
      assert.equal(engine.render('page', {}), '111')
    })
  }

  test('a corrected template renders in debug mode', () => {
    const folder = directory({ 'a.eta': '<% if ( %>' })
    const engine = templateEngine(folder, { debug: true })
    failure(() => engine.render('a', {}))
    write(folder, 'a.eta', 'good')
    assert.equal(engine.render('a', {}), 'good')
  })

  test('a template that appears later is found', () => {
    const folder = directory({})
    const engine = templateEngine(folder)
    failure(() => engine.render('late', {}))
    write(folder, 'late.eta', 'here')
    assert.equal(engine.render('late', {}), 'here')
  })

  test('a link that leads to itself is an error, not a template that is absent', () => {
    const folder = directory({})
    symlinkSync('loop.eta', join(folder, 'loop.eta'))
    assert.throws(() => templateEngine(folder).render('loop', {}), { code: 'ELOOP' })
  })

  test('a byte order mark is not part of the text', () => {
    assert.equal(templateEngine(directory({ 'a.eta': '\uFEFFa' })).render('a', {}), 'a')
  })
})

describe('a custom engine', () => {
  test('is used unchanged', () => {
    const own = { render: (name: string) => name }
    assert.equal(templateEngine(own), own)
  })

  test('a template called render is a template', () => {
    assert.equal(templateEngine({ render: 'text' }).render('render', {}), 'text')
  })
})

describe('a runtime', () => {
  test('without a file system refuses a directory', (t) => {
    const original = process.getBuiltinModule
    t.after(() => Object.assign(process, { getBuiltinModule: original }))
    Object.assign(process, { getBuiltinModule: undefined })
    assert.throws(() => templateEngine('templates'), /no file system to read templates from. Give them as a record/)
    assert.equal(templateEngine({ a: 'a' }).render('a', {}), 'a')
  })

  test('a URL that is not a file URL is refused', () => {
    assert.throws(() => templateEngine(new URL('http://localhost/templates/')), TypeError)
  })
})

test('a rendering without escapes writes text as it is, also in what it includes, its layout and its blocks', () => {
  const engine = templateEngine({
    'page.eta': '<% layout("frame") %><%= it.x %><%~ include("part", it) %><% block("b", () => { %><%= it.x %><% }) %>',
    'part.eta': '(<%= it.x %>)',
    'frame.eta': '[<%= it.x %><%~ it.body %>]',
  })
  const values = { x: '<&', y: null }
  assert.equal(engine.render('page', values, { escape: false }), '[<&<&(<&)<&]')
  assert.equal(engine.render('page', values, { escape: true }), engine.render('page', values))
  assert.equal(engine.render('page', values, { block: 'b', escape: false }), '<&')
  assert.equal(engine.render('part', {}, { escape: false }), '()')
})
