import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fillForm, nested } from 'propylon/forms'
import { parseQuery } from 'propylon/http'
import { countFillSteps } from './fill-steps.ts'

const ERROR = '<span class="error-message">bad</span><br>\n'

describe('fillForm', () => {
  for (const [what, html, values, expected] of [
    [
      'writes a text',
      '<input name="a" value="x">',
      { a: '1 < 2 "&"' },
      '<input name="a" value="1 &lt; 2 &quot;&amp;&quot;">',
    ],
    ['adds a value', '<INPUT NAME=a>', { a: 7 }, '<INPUT value="7" NAME=a>'],
    ['keeps an unquoted value apart', '<input name=a/>', { 'a/': 'x' }, '<input value="x" name=a/>'],
    ['keeps a field without a value', '<input name="a" value="x">', { b: 1 }, '<input name="a" value="x">'],
    [
      'keeps a field whose value is undefined',
      '<input name="a" value="x">',
      { a: undefined },
      '<input name="a" value="x">',
    ],
    ['empties a field for null', '<input name="a" value="x">', { a: null }, '<input name="a" value="">'],
    [
      'fills hidden fields',
      '<input type="hidden" name="a" value="x">',
      { a: '1' },
      '<input type="hidden" name="a" value="1">',
    ],
    [
      'fills newer types',
      '<input type="email" name="a">',
      { a: 'a@b.c' },
      '<input value="a@b.c" type="email" name="a">',
    ],
    [
      'writes dates',
      '<input type="date" name="a">',
      { a: new Date('2026-03-01') },
      '<input value="2026-03-01" type="date" name="a">',
    ],
    [
      'leaves a password empty',
      '<input type="password" name="a" value="old">',
      { a: 'secret' },
      '<input type="password" name="a" >',
    ],
    [
      'leaves files and buttons',
      '<input type="file" name="a"><input type="submit" name="a" value="Save">',
      { a: 'x' },
      '<input type="file" name="a"><input type="submit" name="a" value="Save">',
    ],
    [
      'leaves the token and the method',
      '<input type="hidden" name="_method" value="PUT"><input type="hidden" name="_authentication_token" value="t">',
      { _method: 'DELETE', _authentication_token: 'x' },
      '<input type="hidden" name="_method" value="PUT"><input type="hidden" name="_authentication_token" value="t">',
    ],
    [
      'replaces the text of a textarea',
      '<textarea name="a">\nold <b></textarea>',
      { a: '<b>' },
      '<textarea name="a">&lt;b&gt;</textarea>',
    ],
    [
      'keeps a line break at the start of a textarea',
      '<textarea name="a"></textarea>',
      { a: '\nx' },
      '<textarea name="a">\n\nx</textarea>',
    ],
    ['fills an unclosed textarea', '<textarea name="a">old', { a: 'new' }, '<textarea name="a">new'],
    [
      'checks boxes of a list',
      '<input type=checkbox name=t value=1 checked><input type=checkbox name=t value=2>',
      { t: ['2'] },
      '<input type=checkbox name=t value=1 ><input checked="checked" type=checkbox name=t value=2>',
    ],
    [
      'checks a box of numbers',
      '<input type=checkbox name=t value=2>',
      { t: [2] },
      '<input checked="checked" type=checkbox name=t value=2>',
    ],
    [
      'unchecks every box of an empty list',
      '<input type=checkbox name=t value=1 checked>',
      { t: [] },
      '<input type=checkbox name=t value=1 >',
    ],
    [
      'checks a box for true',
      '<input type=checkbox name=t value=1>',
      { t: true },
      '<input checked="checked" type=checkbox name=t value=1>',
    ],
    [
      'unchecks a box for false',
      '<input type=checkbox name=t checked>',
      { t: false },
      '<input type=checkbox name=t >',
    ],
    [
      'checks a box without a value',
      '<input type=checkbox name=t>',
      { t: 'on' },
      '<input checked="checked" type=checkbox name=t>',
    ],
    [
      'unchecks a box without a value for 0',
      '<input type=checkbox name=t checked>',
      { t: '0' },
      '<input type=checkbox name=t >',
    ],
    [
      'leaves the hidden field of a checkbox',
      '<input type=hidden name=t value=0><input type=checkbox name=t value=1>',
      { t: '1' },
      '<input type=hidden name=t value=0><input checked="checked" type=checkbox name=t value=1>',
    ],
    [
      'chooses a radio button',
      '<input type=radio name=r value=a checked><input type=radio name=r value=b>',
      { r: 'b' },
      '<input type=radio name=r value=a ><input checked="checked" type=radio name=r value=b>',
    ],
    [
      'selects an option by value or text',
      '<select name=s><option selected>One  two<option value=2>2</select>',
      { s: 'One two' },
      '<select name=s><option selected>One  two<option value=2>2</select>',
    ],
    [
      'selects one of equal options',
      '<select name=s><option>1</option><option>1</option></select>',
      { s: 1 },
      '<select name=s><option selected="selected">1</option><option>1</option></select>',
    ],
    [
      'selects several options',
      '<select name=s multiple><optgroup><option>1<option>2</optgroup><option selected>3</select>',
      { s: ['1', '2'] },
      '<select name=s multiple><optgroup><option selected="selected">1<option selected="selected">2</optgroup><option >3</select>',
    ],
    [
      'fills fields of one name in order',
      '<input name=a><input name=a><input name=a>',
      { a: ['x', 'y'] },
      '<input value="x" name=a><input value="y" name=a><input value="" name=a>',
    ],
    [
      'fills nested names',
      '<input name="b-0.t"><input name="b[1][t]"><input name="p.q">',
      { b: [{ t: 1 }, { t: 2 }], p: { q: 3 } },
      '<input value="1" name="b-0.t"><input value="2" name="b[1][t]"><input value="3" name="p.q">',
    ],
    [
      'fills nested lists',
      '<input type=checkbox name="t[]" value=a><input type=checkbox name="t[]" value=b>',
      { t: ['b'] },
      '<input type=checkbox name="t[]" value=a><input checked="checked" type=checkbox name="t[]" value=b>',
    ],
    [
      'prefers the flat name',
      '<input name="p.q">',
      { 'p.q': 1, p: { q: 2 } },
      '<input value="1" name="p.q">',
    ],
    [
      'has no fields in scripts and comments',
      '<script>"<input name=a>"</script><!--<input name=a>--><style><input name=a></style>',
      { a: 1 },
      '<script>"<input name=a>"</script><!--<input name=a>--><style><input name=a></style>',
    ],
    ['fills rows of a table', '<tr><td><input name=a>', { a: 1 }, '<tr><td><input value="1" name=a>'],
    [
      'keeps line ends and surrogate pairs',
      '\r\n😀<input name=a>\r\n',
      { a: '😀' },
      '\r\n😀<input value="😀" name=a>\r\n',
    ],
    [
      'ignores prototypes',
      '<input name="constructor"><input name="__proto__.toString"><input name="a.length">',
      { a: [] },
      '<input name="constructor"><input name="__proto__.toString"><input name="a.length">',
    ],
    ['decodes names', '<input name="a&amp;b">', { 'a&b': 1 }, '<input value="1" name="a&amp;b">'],
  ] as const) {
    test(what, () => assert.equal(fillForm(html, values), expected))
  }

  for (const [what, html, expected] of [
    [
      'places an error before its field',
      '<p><input name="a"></p>',
      `<p>${ERROR}<input class="error" aria-invalid="true" name="a"></p>`,
    ],
    [
      'adds to a class',
      '<textarea class="wide" name="a"></textarea>',
      `${ERROR}<textarea aria-invalid="true" class="wide error" name="a"></textarea>`,
    ],
    [
      'places an error once for several fields',
      '<input type=radio name=a value=1><input type=radio name=a value=2>',
      `${ERROR}<input class="error" aria-invalid="true" type=radio name=a value=1><input class="error" aria-invalid="true" type=radio name=a value=2>`,
    ],
    [
      'places an error of no field in the first form',
      '<body><form><input name="b"></form>',
      `<body><form>${ERROR}<input name="b"></form>`,
    ],
    [
      'places an error of no field in the body',
      '<!doctype html><body><p>',
      `<!doctype html><body>${ERROR}<p>`,
    ],
    [
      'places an error where form:error is',
      '<input name="a"><form:error name="a"></form:error><form:error name="b"/>',
      `<input class="error" aria-invalid="true" name="a">${ERROR}`,
    ],
    [
      'keeps the content of form:iferror',
      '<form:iferror name="a"><b>!</b> <form:error></form:iferror><form:iferror name="not a">ok</form:iferror>',
      `<b>!</b> ${ERROR}`,
    ],
    [
      'removes the content of form:iferror',
      '<form:iferror name="b"><input name="b"></form:iferror><form:iferror name="not b">ok</form:iferror><form:error name="a"/>',
      `ok${ERROR}`,
    ],
  ] as const) {
    test(what, () => assert.equal(fillForm(html, {}, { a: 'bad', none: [], missing: undefined }), expected))
  }

  test('escapes errors and joins several', () => {
    assert.equal(
      fillForm('<form>', {}, { a: ['<b>', 'x'] }),
      '<form><span class="error-message">&lt;b&gt;<br>\nx</span><br>\n',
    )
  })

  test('takes a submitted form and its nested values', () => {
    const html =
      '<input name="b-0.t"><input type=checkbox name=c value=1><input type=checkbox name=c value=2>'
    const form = parseQuery('b-0.t=Emma&c=1&c=2')
    assert.match(fillForm(html, form), /value="Emma".*checked.*checked/)
    assert.match(fillForm(html, nested(form)), /value="Emma"/)
  })

  test('refuses an object for a field', () => {
    assert.throws(() => fillForm('<input name="a">', { a: { b: 1 } }), {
      name: 'TypeError',
      message: /an object for the field "a"/,
    })
  })

  test('fills a large page in linear time', () => {
    const html = '<input name="a"><option><form:error name="a"/><select name="s">'.repeat(20_000)
    assert.ok(fillForm(html, { a: 'x', s: '1' }, { a: 'bad' }).length > html.length)
  })

  for (const [what, page] of [
    ['unclosed placeholders', (count) => '<form:iferror name="a">'.repeat(count)],
    [
      'placeholders with the end tags of others',
      (count) => '<form:iferror name="a">'.repeat(count) + '</form:error>'.repeat(count),
    ],
    [
      'unclosed and wrongly closed placeholders',
      (count) => '<form:iferror name="a"></form:error>'.repeat(count),
    ],
    [
      'nested placeholders',
      (count) => '<form:iferror name="a">'.repeat(count) + '</form:iferror>'.repeat(count),
    ],
    ['unclosed fields', (count) => '<input name="a"><select name="s"><option>'.repeat(count)],
  ] as const satisfies [string, (count: number) => string][]) {
    test(`takes twice the steps for twice as many ${what}`, async () => {
      const [, few = 0, many = 0] = await countFillSteps([page(100), page(1000), page(2000)])
      assert.ok(few > 1000, `${few} steps`)
      assert.ok(many < 2.1 * few, `${many} steps instead of ${few}`)
    })
  }
})
