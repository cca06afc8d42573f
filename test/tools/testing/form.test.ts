import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type FieldValue, type Form, TestApp, type TestResponse } from 'propylon/testing'
import type { WSGIApplication } from 'propylon/wsgi'

/** Returns the page for a GET without a query, and a description of the request otherwise. */
function site(html: string): WSGIApplication {
  return async (environ, start_response) => {
    const { REQUEST_METHOD: method, REQUEST_URI: uri, CONTENT_TYPE: type = '' } = environ
    const body = new TextDecoder().decode(await environ['wsgi.input'].read())
    const isPage = method === 'GET' && environ.QUERY_STRING === ''
    start_response('200 OK', [['Content-Type', isPage ? 'text/html' : 'application/json']])
    return [isPage ? html : JSON.stringify({ method, uri, type, body })]
  }
}

interface Sent {
  method: string
  uri: string
  type: string
  body: string
}

async function formOf(html: string, path = '/users/new'): Promise<Form<TestResponse>> {
  return (await new TestApp(site(html)).get(path)).form()
}

async function sent(form: Form<TestResponse>, ...button: Parameters<Form<TestResponse>['submit']>): Promise<Sent> {
  return (await form.submit(...button)).json<Sent>()
}

describe('a page’s form sends', () => {
  for (const [title, html, expected] of [
    [
      'what text fields hold',
      '<input name=a value="1 2"><input name=b type=search><input name=c type=hidden value=x>',
      'a=1+2&b=&c=x',
    ],
    ['an unknown type as text', '<input name=a type=fancy value=1>', 'a=1'],
    ['nothing of fields without a name', '<input value=1><input name="" value=2>', ''],
    ['one line of a one-line field', '<input name=a value="1\n2">', 'a=12'],
    ['an address without blanks', '<input name=a type=email value=" a@b.c ">', 'a=a%40b.c'],
    ['a textarea without its first line end', '<textarea name=a>\nb</textarea>', 'a=b'],
    ['a textarea with its second', '<textarea name=a>\n\nb</textarea>', 'a=%0D%0Ab'],
    ['a textarea as text', '<textarea name=a><b>&amp;</b></textarea>', 'a=%3Cb%3E%26%3C%2Fb%3E'],
    [
      'checked boxes',
      '<input type=checkbox name=a checked><input type=checkbox name=b><input type=checkbox name=c value=x checked>',
      'a=on&c=x',
    ],
    ['the checked radio button', '<input type=radio name=a value=1><input type=radio name=a value=2 checked>', 'a=2'],
    [
      'the last of two checked radio buttons',
      '<input type=radio name=a value=1 checked><input type=radio name=a value=2 checked>',
      'a=2',
    ],
    ['no radio button', '<input type=radio name=a value=1>', ''],
    ['the first option', '<select name=a><option value=1>one<option value=2>two</select>', 'a=1'],
    ['the first option that is not disabled', '<select name=a><option disabled>none<option>two</select>', 'a=two'],
    ['the selected option', '<select name=a><option>1<option selected>2</select>', 'a=2'],
    ['the last of two selected options', '<select name=a><option selected>1<option selected>2</select>', 'a=2'],
    ['no option of a list', '<select name=a size=2><option>1<option>2</select>', ''],
    [
      'all selected options of a multiple',
      '<select name=a multiple><option selected>1<option>2<option selected>3</select>',
      'a=1&a=3',
    ],
    ['no option of an empty select', '<select name=a></select>', ''],
    ['an option’s text with its blanks collapsed', '<select name=a><option> a  b </select>', 'a=a+b'],
    [
      'options in groups',
      '<select name=a><optgroup disabled><option>1</optgroup><optgroup><option>2</optgroup></select>',
      'a=2',
    ],
    [
      'nothing that is disabled',
      '<input name=a disabled><select name=b disabled><option>1</select><textarea name=c disabled></textarea>',
      '',
    ],
    [
      'nothing of a disabled fieldset',
      '<fieldset disabled><input name=a><fieldset><input name=b></fieldset></fieldset><input name=c>',
      'c=',
    ],
    [
      'the fields in the first legend of a disabled fieldset',
      '<fieldset disabled><legend><input name=a></legend><legend><input name=b></legend></fieldset>',
      'a=',
    ],
    [
      'nothing of a data list or template',
      '<datalist><input name=a></datalist><template><input name=b></template>',
      '',
    ],
    [
      'fields that name the form, and not those that name another',
      '<input name=a form=other></form><input name=b form=f>',
      'b=',
    ],
    [
      'nothing of buttons that do not submit',
      '<button type=button name=a>x</button><input type=reset name=b><input type=button name=c>',
      '',
    ],
    [
      'its first button, as for the Enter key',
      '<button name=a value=1>x</button><button name=b value=2>y</button>',
      'a=1',
    ],
    [
      'its first button that is not disabled',
      '<button name=a disabled>x</button><input type=submit name=b value=2>',
      'b=2',
    ],
    ['where an image was clicked', '<input type=image name=a>', 'a.x=0&a.y=0'],
    ['the charset for _charset_', '<input type=hidden name=_charset_>', '_charset_=UTF-8'],
    ['the charset for _charset_ in any case', '<input type=HIDDEN name=_Charset_ value=x>', '_Charset_=UTF-8'],
    ['the value of a visible _charset_', '<input name=_charset_ value=x>', '_charset_=x'],
    ['a file by its name', '<input type=file name=a>', 'a='],
    ['fields in the order of the page', '<input name=b><select name=a><option>1</select><input name=b>', 'b=&a=1&b='],
  ] as const) {
    test(title, async () => {
      const form = await formOf(`<form id=f method=post>${html}</form>`)
      const { method, type, body } = await sent(form)
      assert.deepEqual([method, type, body], ['POST', 'application/x-www-form-urlencoded', expected])
    })
  }
})

describe('a form is sent', () => {
  for (const [title, attributes, method, uri] of [
    ['to its page by default', 'method=post', 'POST', '/users/new'],
    ['to its action', 'method=post action=/x?y=1', 'POST', '/x?y=1'],
    ['to a relative action', 'method=POST action=create', 'POST', '/users/create'],
    ['to an action further up', 'method=post action=../x', 'POST', '/x'],
    ['without a fragment', 'method=post action=/x#y', 'POST', '/x'],
    ['by GET by default', 'action=/x', 'GET', '/x?a=1'],
    ['by GET when the method is unknown', 'method=put action=/x', 'GET', '/x?a=1'],
    ['by GET with the action’s query replaced', 'action="/x?y=1"', 'GET', '/x?a=1'],
    ['by GET to its page', '', 'GET', '/users/new?a=1'],
    ['to another host', 'method=post action=http://other.example/x', 'POST', '/x'],
  ] as const) {
    test(title, async () => {
      const seen = await sent(await formOf(`<form ${attributes}><input name=a value=1></form>`))
      assert.deepEqual([seen.method, seen.uri], [method, uri])
    })
  }

  test('to a URL relative to the page’s base', async () => {
    const seen = await sent(await formOf('<base href=/base/><form method=post action=x></form>'))
    assert.equal(seen.uri, '/base/x')
  })

  test('to the formaction of its button', async () => {
    const html =
      '<form action=/a><input name=q><button name=n value=v formaction=/b formmethod=post formenctype=text/plain>Go</button></form>'
    assert.deepEqual(await sent(await formOf(html)), {
      method: 'POST',
      uri: '/b',
      type: 'text/plain',
      body: 'q=\r\nn=v\r\n',
    })
  })

  for (const [action, message] of [
    ['mailto:a@b.c', /is not an http or https URL/],
    ['javascript:go()', /is not an http or https URL/],
    ['http://[', /is not a URL/],
  ] as const) {
    test(`is not sent to ${action}`, async () => {
      await assert.rejects((await formOf(`<form action="${action}"></form>`)).submit(), { message })
    })
  }

  test('is not sent with the method dialog', async () => {
    await assert.rejects((await formOf('<form method=dialog></form>')).submit(), /sends nothing/)
  })

  test('with a referer and, by POST, an origin', async () => {
    const response = await (await formOf('<form method=post></form>')).submit()
    assert.equal(response.request.headers.get('referer'), 'http://localhost/users/new')
    assert.equal(response.request.headers.get('origin'), 'http://localhost')
  })

  test('with request options', async () => {
    const form = await formOf('<form method=post></form>')
    await assert.rejects(form.submit(undefined, { status: 404 }), /the status is not 404/)
    const response = await form.submit(null, { headers: { 'X-A': '1', Referer: 'http://x/' } })
    assert.equal(response.request.headers.get('x-a'), '1')
    assert.equal(response.request.headers.get('referer'), 'http://x/')
  })
})

const fields = `<form method=post>
  <input name=text value=old><textarea name=area></textarea><input name=twice value=1><input name=twice value=2>
  <input name=off disabled><input type=checkbox name=box value=yes>
  <input type=checkbox name=boxes value=1 checked><input type=checkbox name=boxes value=2><input type=checkbox name=boxes value=3 disabled>
  <input type=radio name=radio value=1 checked><input type=radio name=radio value=2><input type=radio name=radio value=3 disabled>
  <select name=one><option value=1>first<option value=2>second<option value=3 disabled>third</select>
  <select name=many multiple><option value=1 selected>first<option value=2>second</select>
  <input type=file name=file><input type=file name=files multiple>
  <button name=button>Go</button></form>`

describe('a field that is set', () => {
  for (const [name, value, read, body] of [
    ['text', 'new', 'new', 'text=new'],
    ['text', 42, '42', 'text=42'],
    ['text', 'a\nb', 'ab', 'text=ab'],
    ['area', 'a\nb', 'a\nb', 'area=a%0D%0Ab'],
    ['twice', ['3', 4], ['3', '4'], 'twice=3&twice=4'],
    ['box', true, 'yes', 'box=yes'],
    ['box', 'yes', 'yes', 'box=yes'],
    ['boxes', ['1', 2], ['1', '2'], 'boxes=1&boxes=2'],
    ['boxes', '2', ['2'], 'boxes=2'],
    ['radio', '2', '2', 'radio=2'],
    ['radio', 2, '2', 'radio=2'],
    ['one', '2', '2', 'one=2'],
    ['one', 'second', '2', 'one=2'],
    ['many', ['1', '2'], ['1', '2'], 'many=1&many=2'],
    ['many', 'second', ['2'], 'many=2'],
  ] as [string, FieldValue, unknown, string][]) {
    test(`${name} to ${JSON.stringify(value)} holds and sends it`, async () => {
      const form = (await formOf(fields)).set(name, value)
      assert.deepEqual(form.get(name), read)
      const values = new URLSearchParams((await sent(form)).body)
      const own = [...values].filter(([field]) => field === name)
      assert.equal(new URLSearchParams(own).toString(), body)
    })
  }

  for (const [name, value, index, message] of [
    ['txet', 'x', undefined, /no field "txet"; it has "text", "area", "twice", /],
    ['button', 'x', undefined, /"button" is a button: press it with submit/],
    ['off', 'x', undefined, /"off" is disabled/],
    ['text', true, undefined, /takes text, not true/],
    ['text', ['a'], undefined, /takes text, not a list/],
    ['text', new File([], 'x'), undefined, /takes text, not a File/],
    ['text', 'x', 1, /there are 1 fields "text", none with index 1/],
    ['twice', 'x', undefined, /there are 2 fields "twice": give a list of 2 values, or an index/],
    ['twice', ['x'], undefined, /give a list of 2/],
    ['box', 'no', undefined, /cannot be "no"; it can be "yes"/],
    ['boxes', true, undefined, /"boxes" is several/],
    ['boxes', ['1', '3'], undefined, /the choice "3" of "boxes" is disabled/],
    ['boxes', ['1', '4'], undefined, /cannot be "4"; it can be "1", "2", "3"/],
    ['radio', '4', undefined, /cannot be "4"/],
    ['radio', '3', undefined, /disabled/],
    ['radio', false, undefined, /is a group/],
    ['radio', ['1', '2'], undefined, /exactly one/],
    ['one', '4', undefined, /the field "one" cannot be "4"; it can be "1", "2", "3"/],
    ['one', 'third', undefined, /disabled/],
    ['one', ['1', '2'], undefined, /takes one value/],
    ['one', [], undefined, /takes one value/],
    ['many', ['1', 'x'], undefined, /cannot be "x"/],
    ['file', 'path', undefined, /takes a File/],
    ['file', [new File([], 'a'), new File([], 'b')], undefined, /takes one file/],
  ] as [string, FieldValue, number | undefined, RegExp][]) {
    test(`${name} to ${value instanceof File ? 'a File' : JSON.stringify(value)} is an error`, async () => {
      const form = await formOf(fields)
      const before = form.entries()
      assert.throws(() => form.set(name, value, index), { message })
      assert.deepEqual(form.entries().map(String), before.map(String))
    })
  }

  test('by its index does not change the others', async () => {
    assert.deepEqual((await formOf(fields)).set('twice', 'x', 1).get('twice'), ['1', 'x'])
  })

  test('to no choice sends nothing', async () => {
    const form = (await formOf(fields)).fill({ boxes: [], many: [], box: false })
    assert.deepEqual([form.get('boxes'), form.get('many'), form.get('box')], [[], [], null])
    const { body } = await sent(form)
    assert.doesNotMatch(body, /box|many/)
  })

  test('and does not exist raises an error', async () => {
    const form = await formOf('<form></form>')
    assert.throws(() => form.get('a'), /no field "a"; it has no fields/)
  })

  test('stays set on the response', async () => {
    const page = await new TestApp(site(fields)).get('/')
    page.form().set('text', 'kept')
    assert.equal(page.form().get('text'), 'kept')
  })

  test('to any text reaches the application, line ends as CRLF', async () => {
    const page = '<form method=post><textarea name=a></textarea></form>'
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const { body } = await sent((await formOf(page)).set('a', text))
        assert.equal(new URLSearchParams(body).get('a'), text.replace(/\r\n|\r|\n/g, '\r\n'))
      }),
      { numRuns: 50 },
    )
  })
})

test('a form lists its fields once each, without buttons', async () => {
  assert.deepEqual((await formOf(fields)).fields, [
    'text',
    'area',
    'twice',
    'off',
    'box',
    'boxes',
    'radio',
    'one',
    'many',
    'file',
    'files',
  ])
})

test('a disabled field can be read', async () => {
  assert.equal((await formOf(fields)).get('off'), '')
})

describe('files', () => {
  const multipart =
    '<form method=post enctype=multipart/form-data><input name=a value="x\ny"><input type=file name=f multiple></form>'

  test('are sent as multipart with name, type and content', async () => {
    const form = (await formOf(multipart)).set('f', [
      new File(['one'], 'a "1".txt', { type: 'text/plain' }),
      new File([new Uint8Array([0, 255])], 'b.bin'),
    ])
    const { type, body } = await sent(form)
    const data = await new Response(body, { headers: { 'content-type': type } }).formData()
    assert.equal(data.get('a'), 'xy')
    const files = data.getAll('f')
    assert.deepEqual(
      files.map((file) => file instanceof File && [file.name, file.type]),
      [
        ['a "1".txt', 'text/plain'],
        ['b.bin', 'application/octet-stream'],
      ],
    )
  })

  test('without a choice send an empty file name', async () => {
    const { body } = await sent(await formOf(multipart))
    assert.match(body, /name="f"; filename=""\r\nContent-Type: application\/octet-stream\r\n\r\n\r\n/)
  })

  test('are sent by name if the form is urlencoded', async () => {
    const form = (await formOf(fields)).set('files', [new File([], 'a'), new File([], 'b')])
    assert.match((await sent(form)).body, /files=a&files=b/)
  })

  test('that are chosen can be read with get', async () => {
    const file = new File(['x'], 'x')
    assert.equal((await formOf(fields)).set('file', file).get('file'), file)
  })
})

describe('a button', () => {
  const html = `<form method=post><input name=a><button name=do value=save>Save it</button>
    <button name=do value=drop>Drop it</button><input type=submit value=Other><input type=image alt=Picture name=pic>
    <button name=no disabled>No</button></form>`

  for (const [choice, expected] of [
    [undefined, 'a=&do=save'],
    [null, 'a='],
    ['do', 'a=&do=save'],
    ['drop', 'a=&do=drop'],
    ['Drop it', 'a=&do=drop'],
    ['Other', 'a='],
    ['Picture', 'a=&pic.x=0&pic.y=0'],
    [{ name: 'do', value: 'drop' }, 'a=&do=drop'],
    [{ value: 'drop' }, 'a=&do=drop'],
  ] as const) {
    test(`chosen by ${JSON.stringify(choice)} sends its value`, async () => {
      assert.equal((await sent(await formOf(html), choice)).body, expected)
    })
  }

  for (const [choice, message] of [
    ['sav', /no button "sav"; it has "Save it" \(name "do", value "save"\), /],
    [{ name: 'do', value: 'x' }, /no button/],
    ['no', /"No".* is disabled/],
  ] as const) {
    test(`chosen by ${JSON.stringify(choice)} is an error`, async () => {
      await assert.rejects((await formOf(html)).submit(choice), { message })
    })
  }

  test('raises an error in a form without buttons', async () => {
    const form = await formOf('<form><input name=a></form>')
    await assert.rejects(form.submit('x'), /no button "x"; it has none/)
  })
})
