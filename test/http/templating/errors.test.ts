import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TemplateError, templateEngine } from 'propylon'

async function failure(records: Record<string, string>, name = 'page', values = {}): Promise<TemplateError> {
  try {
    await templateEngine(records).render(name, values)
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return error
  }
  assert.fail('nothing was thrown')
}

function explode(): never {
  throw new RangeError('from the helper')
}

function deep(depth: number): never {
  return depth === 0 ? explode() : deep(depth - 1)
}

describe('an error at run time names the template and the line', () => {
  for (const [title, records, place, reason] of [
    ['in an output', { page: 'a\nb\n  <%= it.user.name %>' }, ['page', 3], /reading 'name'/],
    ['in raw output', { page: '\n<%~ missing %>' }, ['page', 2], /missing is not defined/],
    [
      'in a long tag, by the line on which the tag begins',
      { page: 'text\n<%\nconst a = 1\nthrow new Error("x")\n%>' },
      ['page', 2],
      /^x$/,
    ],
    ['after text like the tag’s', { page: 'it.a.b <%= 1 %> it.a.b <%= it.a.b %>' }, ['page', 1], /'b'/],
    ['with Windows line ends', { page: 'a\r\nb\r\n<%= it.a.b %>' }, ['page', 3], /'b'/],
    ['in a loop', { page: '<% for (const x of [1, null]) { %>\n<%= x.toFixed() %>\n<% } %>' }, ['page', 2], /toFixed/],
    ['in a partial', { page: "1\n<%~ include('part') %>", part: '1\n2\n<%= it.a.b %>' }, ['part', 3], /'b'/],
    ['in a layout', { page: "<% layout('base') %>\n\n\ntext", base: '1\n<%= it.a.b %>' }, ['base', 2], /'b'/],
    [
      'in a page with a layout',
      { page: "<% layout('base') %>\n<%= it.a.b %>", base: '<%~ it.body %>' },
      ['page', 2],
      /'b'/,
    ],
    ['in a block', { page: '<% const s = capture(() => { %>\n<%= it.a.b %>\n<% }) %>' }, ['page', 2], /'b'/],
    ['in a template that waits', { page: '<% await 1 %>\n<%= it.a.b %>' }, ['page', 2], /'b'/],
    [
      'in a partial that waits',
      { page: "\n<%~ await includeAsync('part') %>", part: '<% await 1 %>\n<%= it.a.b %>' },
      ['part', 2],
      /'b'/,
    ],
  ] as const) {
    test(title, async () => {
      const error = await failure(records)
      assert.deepEqual([error.template, error.line], place)
      assert.match(error.reason, reason)
    })
  }

  for (const [title, call] of [
    ['near', 'it.explode()'],
    ['far below', 'it.deep(50)'],
  ]) {
    test(`thrown by a helper ${title}`, async () => {
      const error = await failure({ page: `1\n2\n<%= ${call} %>` }, 'page', { explode, deep })
      assert.deepEqual([error.template, error.line], ['page', 3])
      assert.equal(error.reason, 'from the helper')
      assert.ok(error.cause instanceof RangeError)
    })
  }

  test('thrown by a helper that was awaited', async () => {
    const later = async () => {
      await null
      explode()
    }
    const error = await failure({ page: '1\n<% await 1 %>\n<%= await it.later() %>' }, 'page', { later })
    assert.deepEqual([error.template, error.line], ['page', 3])
  })

  test('thrown as a string', async () => {
    const error = await failure({ page: '1\n<% throw "text" %>' })
    assert.deepEqual([error.line, error.reason, error.cause], [2, 'threw "text"', 'text'])
  })

  test('with the lines around it', async () => {
    const error = await failure({ page: 'one\ntwo\n<%= it.a.b %>\nfour\nfive\nsix' })
    assert.equal(
      error.excerpt,
      ['  1 | one', '  2 | two', '> 3 | <%= it.a.b %>', '  4 | four', '  5 | five'].join('\n'),
    )
    assert.equal(error.message, `page:3: ${error.reason}`)
  })

  test('in one line, whatever the reason', async () => {
    const error = await failure({ page: '<% throw new Error("one\\n  two") %>' })
    assert.equal(error.message, 'page:1: one two')
    assert.equal(error.reason, 'one\n  two')
  })
})

describe('a syntax error names the template and the place', () => {
  for (const [title, text, line, column, reason] of [
    ['an output that breaks off', '1\n<%= it.a. %>', 2, 10, /Unexpected token/],
    ['two expressions in an output', '<%= it.a it.b %>', 1, 10, /Unexpected token/],
    ['an output with a bracket too many', '<%= f(1)) + (2)) %>', 1, 9, /\) closes nothing/],
    ['a brace never closed', '1\n<% if (it.a) { %>\ntext\n', 2, 14, /\{ is never closed/],
    ['a brace that closes nothing', '1\n2\n<% } %>', 3, 4, /\} closes nothing/],
    ['brackets that cross', '<% f([1) %>', 1, 8, /\) closes the \[ before it/],
    ['a statement that is none', '1\n\n<% const = 1 %>', 3, 10, /Unexpected token/],
    ['a name that Eta declares', '1\n<% const block = 1 %>', 2, 10, /already been declared/],
    ['a name declared twice', '<% let a %>\n<% let a %>', 2, 8, /already been declared/],
    ['a tag never closed', '1\n  <%= it.a', 2, 3, /unclosed tag/],
    ['a string never closed', '1\n<%= "a %>', 2, 5, /unclosed string/],
    ['a comment never closed', '<% /* %>', 1, 4, /unclosed comment/],
    ['an error in a template that waits', '<% await 1 %>\n<% const = 1 %>', 2, 10, /Unexpected token/],
  ] as const) {
    test(title, async () => {
      const error = await failure({ page: text })
      assert.match(error.reason, reason)
      assert.deepEqual([error.template, error.line, error.column], ['page', line, column])
    })

    test(`${title}, in a partial and a layout`, async () => {
      for (const call of ["<%~ include('part') %>", "<% layout('part') %>"]) {
        const error = await failure({ page: `\n\n\n${call}`, part: text })
        assert.deepEqual([error.template, error.line, error.column], ['part', line, column])
      }
    })
  }

  test('in a message of one line, with a caret in the excerpt', async () => {
    const error = await failure({ page: 'one\n<% const = 1 %>' })
    assert.equal(error.message, `page:2:10: ${error.reason}`)
    assert.equal(error.excerpt, '  1 | one\n> 2 | <% const = 1 %>\n    |          ^')
  })

  test('in a record does not disturb the other templates', () => {
    assert.equal(templateEngine({ broken: '<% } %>', fine: 'fine' }).render('fine', {}), 'fine')
  })
})

describe('templates that await', () => {
  test('render to a promise', async () => {
    const output = templateEngine({ page: '<%= await it.x %>' }).render('page', { x: Promise.resolve('<') })
    assert.ok(output instanceof Promise)
    assert.equal(await output, '&lt;')
  })

  test('are only those with the word in their code', () => {
    const page = "<% const awaited = 'x' %>I await <%= awaited %>"
    assert.equal(templateEngine({ page }).render('page', {}), 'I await x')
  })

  for (const [title, part] of [
    ['a string', '<%= "await" %>'],
    ['a comment', '<%= /* await */ it.text %>'],
    ['a template literal', '<%= it.text + `await`.slice(5) %>'],
  ] as const) {
    test(`are not those with the word in ${title}, which another template includes`, () => {
      const page = '<%~ include("part", { text: "await" }) %>'
      assert.equal(templateEngine({ page, part }).render('page', {}), 'await')
    })
  }

  for (const [title, records] of [
    ['for await', { page: '<% for await (const x of [1, 2]) { %><%= x %><% } %>' }],
    ['a partial, awaited', { page: "1<%~ await includeAsync('part') %>", part: '<%= await 2 %>' }],
    ['a partial, awaited through include', { page: "1<%~ await include('part') %>", part: '<%= await 2 %>' }],
    [
      'a synchronous partial through includeAsync',
      { page: "<% await 1 %>1<%~ await includeAsync('part') %>", part: '2' },
    ],
    ['the layout alone', { page: "<% layout('base') %>2", base: '<%= await 1 %><%~ it.body %>' }],
    ['the page alone', { page: "<% layout('base') %><%= await 2 %>", base: '1<%~ it.body %>' }],
    ['captured', { page: '<% const s = await captureAsync(async () => { %><%= await 12 %><% }) %><%~ s %>' }],
  ] as const) {
    test(`${title} works`, async () => {
      assert.equal(await templateEngine(records).render('page', {}), '12')
    })
  }

  for (const call of ["<%~ include('part') %>", "<%= include('part') %>", "<% await 1 %><%~ include('part') %>"]) {
    test(`${call} of a template that waits says to await it`, async () => {
      const error = await failure({ page: `1\n${call}`, part: '<%= await it.fail() %>' }, 'page', {
        fail: () => Promise.reject(new Error('abandoned')),
      })
      assert.deepEqual([error.template, error.line], ['page', 2])
      assert.match(error.reason, /must be awaited: write <%~ await includeAsync\("part"\) %>/)
    })
  }
})

test('templates that include themselves end in an error', async () => {
  const error = await failure({ page: "<%~ include('page') %>" })
  assert.match(error.reason, /more than 100 deep/)
})

test('an error that is an application is passed on unchanged', () => {
  const stop = Object.assign(new Error('404'), { wsgi: () => [] })
  const engine = templateEngine({ page: "<%~ include('part') %>", part: '<% it.stop() %>' })
  const render = () =>
    engine.render('page', {
      stop: () => {
        throw stop
      },
    })
  assert.throws(render, (error) => error === stop)
})
