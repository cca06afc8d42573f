import './database.ts'
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { TestApp, type TestResponse } from 'propylon/testing'
import app from '../../app.ts'
import { users } from '../../model/meta.ts'

const ANN = { name: 'ann', full_name: 'Ann Example', email: 'ann@example.org', password: 'correct horse' }
const BOB = {
  name: 'bob',
  full_name: 'Bob “Bobby” Example',
  email: 'bob@example.org',
  password: 'battery staple',
}
const PUBLIC_ANN = {
  name: 'ann',
  full_name: 'Ann Example',
  email: 'ann@example.org',
  link: '/users/ann',
}

const program = new TestApp(app)
const browser = new TestApp(app, {
  headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
})

async function stored(): Promise<unknown> {
  return (await program.get('/users.json')).json()
}

beforeEach(async () => {
  const all = await users()
  for (const { name } of await all.all()) await all.remove(name)
  assert.equal(await all.add(ANN), 'done')
})

describe('GET /users', () => {
  test('is a page with a link to each user', async () => {
    const response = await program.get('/users')
    assert.equal(response.status, 200)
    assert.equal(response.contentType, 'text/html')
    response.mustContain('href="/users/ann"', 'Ann Example', 'ann@example.org')
  })

  test('escapes what users typed', async () => {
    await program.post('/users', { ...BOB, full_name: '<script>alert(1)</script>' })
    const response = await program.get('/users')
    response.mustNotContain('<script>').mustContain('&lt;script&gt;')
  })

  for (const [path, headers] of [
    ['/users.json', {}],
    ['/users.json', { accept: 'text/html' }],
    ['/users?format=json', { accept: 'text/html' }],
    ['/users', { accept: 'application/json' }],
    ['/users', { accept: 'text/javascript' }],
  ] as const) {
    test(`is JSON at ${path} for ${JSON.stringify(headers)}`, async () => {
      const response = await program.get(path, { headers })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'text/javascript')
      assert.deepEqual(response.json(), [PUBLIC_ANN])
    })
  }

  for (const [path, accept] of [
    ['/users.html', 'application/json'],
    ['/users?format=html', 'application/json'],
    ['/users', '*/*'],
    ['/users', 'text/html, application/json;q=0.9'],
    ['/users', 'image/png'],
  ] as const) {
    test(`is a page at ${path} for ${accept}`, async () => {
      const response = await program.get(path, { headers: { accept } })
      assert.equal(response.status, 200)
      assert.equal(response.contentType, 'text/html')
    })
  }

  test('lists by name', async () => {
    for (const name of ['b', 'B', 'a']) await program.post('/users', { ...BOB, name })
    const names = (await program.get('/users.json')).json<{ name: string }[]>().map((user) => user.name)
    assert.deepEqual(names, ['B', 'a', 'ann', 'b'])
  })
})

describe('POST /users', () => {
  test('answers 201, the address, and the page of the new user', async () => {
    const response = await program.post('/users', BOB)
    assert.equal(response.statusLine, '201 Created')
    assert.equal(response.headers.get('location'), '/users/bob')
    response.mustContain('bob', 'bob@example.org').mustNotContain(BOB.password)
    assert.deepEqual((await program.get('/users/bob.json')).json(), {
      name: 'bob',
      full_name: BOB.full_name,
      email: BOB.email,
      link: '/users/bob',
    })
  })

  test('takes multipart forms too', async () => {
    const form = new FormData()
    for (const [name, value] of Object.entries(BOB)) form.set(name, value)
    assert.equal((await program.post('/users', form)).status, 201)
    assert.equal((await program.get('/users/bob.json')).json<typeof BOB>().full_name, BOB.full_name)
  })

  test('answers 409 and where the user is whose name that is', async () => {
    const response = await program.post('/users', { ...BOB, name: 'ann' })
    assert.equal(response.statusLine, '409 Conflict')
    assert.equal(response.headers.get('location'), '/users/ann')
    response.mustContain('409 Conflict')
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })

  test('takes one of two who ask for a name at once', async () => {
    const responses = await Promise.all([program.post('/users', BOB), program.post('/users', BOB)])
    assert.deepEqual(responses.map((response) => response.status).sort(), [201, 409])
  })

  test('tells a program in the status line and the body what is wrong', async () => {
    const response = await program.post('/users', { ...BOB, email: 'bob', password: 'short' })
    const line =
      '400 Bad Request -- email: must be an e-mail address like joe@example.org; password: must have at least 8 characters'
    assert.equal(response.statusLine, line)
    assert.equal(response.contentType, 'text/plain')
    response.mustContain(line).mustNotContain('short')
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })

  test('shows a browser the form again, with what was typed but the password, and the problems', async () => {
    const response = await browser.post('/users', { ...BOB, name: 'b o b', email: '"bob"' })
    assert.match(
      response.statusLine,
      /^400 Bad Request -- name: must begin with .*; email: must be an e-mail/,
    )
    response.mustContain(response.statusLine).mustNotContain(BOB.password)
    const form = response.form('new-user')
    assert.equal(form.get('name'), 'b o b')
    assert.equal(form.get('full_name'), BOB.full_name)
    assert.equal(form.get('email'), '"bob"')
    assert.equal(form.get('password'), '')
    for (const field of ['name', 'email']) {
      response.mustContain(
        new RegExp(`id="${field}"[^>]*aria-invalid="true"[^>]*aria-describedby="${field}-error`),
      )
    }
    response.mustContain('id="email-error"').mustNotContain('id="full_name-error"')
  })

  test('lets a browser mend the form and send it again', async () => {
    const refused = await browser.post('/users', { ...BOB, name: 'ann' })
    assert.equal(refused.statusLine, '409 Conflict')
    refused.mustContain('409 Conflict', 'href="/users/ann"')
    const created = await refused.form('new-user').set('name', 'bob').set('password', BOB.password).submit()
    assert.equal(created.status, 201)
  })
})

describe('GET /users/new', () => {
  for (const path of ['/users/new', '/users/new.html', '/users/new?format=json']) {
    test(`is the empty form at ${path}`, async () => {
      const form = (await browser.get(path)).form('new-user')
      assert.deepEqual(form.fields, ['name', 'full_name', 'email', 'password'])
      assert.equal(form.method, 'POST')
      assert.equal(form.action, 'http://localhost/users')
      for (const field of form.fields) assert.equal(form.get(field), '')
    })
  }

  test('has a label for each field', async () => {
    const { text } = await browser.get('/users/new')
    for (const id of ['name', 'full_name', 'email', 'password'])
      assert.ok(text.includes(`<label for="${id}">`))
  })
})

describe('GET /users/ID', () => {
  test('is the user’s page, with a form that deletes', async () => {
    const response = await browser.get('/users/ann')
    response.mustContain('Ann Example', 'ann@example.org', '/users/ann;edit')
    assert.equal(response.form('delete-user').get('_method'), 'DELETE')
  })

  for (const path of ['/users/ann.json', '/users/ann?format=json']) {
    test(`is JSON at ${path}`, async () => {
      const response = await program.get(path)
      assert.equal(response.headers.get('content-type'), 'text/javascript')
      assert.deepEqual(response.json(), PUBLIC_ANN)
    })
  }

  test('takes a dot in a name for no format', async () => {
    await program.post('/users', { ...BOB, name: 'john.doe' })
    assert.equal((await program.get('/users/john.doe')).contentType, 'text/html')
    assert.equal((await program.get('/users/john.doe.json')).json<typeof BOB>().name, 'john.doe')
  })

  test('reads JSON in any encoding, since it is ASCII', async () => {
    await program.post('/users', { ...BOB, full_name: 'Zoë 𝄞' })
    const response = await program.get('/users/bob.json')
    assert.match(response.text, /^[ -~]+$/)
    assert.equal(response.json<typeof BOB>().full_name, 'Zoë 𝄞')
  })

  for (const path of [
    '/users/nobody',
    '/users/Ann',
    '/users/ann%20',
    '/users/%F0%9D%84%9E',
    '/users/x.json',
  ]) {
    test(`is 404 at ${path}`, async () => {
      const response = await program.get(path)
      assert.equal(response.statusLine, '404 Not Found')
      response.mustContain('404 Not Found')
    })
  }

  test('shows a browser a page of this site when there is nobody', async () => {
    const response = await browser.get('/users/<nobody>')
    assert.equal(response.statusLine, '404 Not Found')
    response.mustContain('404 Not Found', '&lt;nobody&gt;', 'href="/users"')
  })
})

describe('GET /users/ID;edit', () => {
  for (const path of ['/users/ann;edit', '/users/ann/edit']) {
    test(`is the form with the user’s values at ${path}`, async () => {
      const form = (await browser.get(path)).form('edit-user')
      assert.equal(form.get('_method'), 'PUT')
      assert.equal(form.get('name'), 'ann')
      assert.equal(form.get('full_name'), 'Ann Example')
      assert.equal(form.get('email'), 'ann@example.org')
      assert.equal(form.get('password'), '')
    })
  }

  test('is 404 when there is nobody', async () => {
    const response = await program.get('/users/nobody;edit')
    assert.equal(response.statusLine, '404 Not Found')
    response.mustContain('404 Not Found')
  })
})

describe('PUT /users/ID', () => {
  test('stores the values and answers with an empty body', async () => {
    const response = await program.put('/users/ann', {
      ...ANN,
      full_name: 'Ann Changed',
      email: 'a@example.com',
    })
    assert.equal(response.statusLine, '200 OK')
    assert.equal(response.text, '')
    assert.deepEqual(await stored(), [{ ...PUBLIC_ANN, full_name: 'Ann Changed', email: 'a@example.com' }])
  })

  test('answers 301 with the new address after a rename, for nobody to remember', async () => {
    const response = await program.put('/users/ann', { ...ANN, name: 'Ann' })
    assert.equal(response.statusLine, '301 Moved Permanently')
    assert.equal(response.headers.get('location'), '/users/Ann')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal((await program.get('/users/ann')).status, 404)
    assert.equal((await program.get('/users/Ann')).status, 200)
  })

  test('answers 409 when the new name is another user’s', async () => {
    await program.post('/users', BOB)
    const before = await stored()
    const response = await program.put('/users/ann', { ...ANN, name: 'bob' })
    assert.equal(response.statusLine, '409 Conflict')
    response.mustContain('409 Conflict')
    assert.deepEqual(await stored(), before)
  })

  test('takes a new password', async () => {
    await program.put('/users/ann', { ...ANN, password: 'another horse' })
    assert.ok(await (await users()).authenticate('ann', 'another horse'))
  })

  for (const password of ['', undefined]) {
    test(`keeps the password when it is ${JSON.stringify(password)}`, async () => {
      const { password: _, ...rest } = ANN
      const response = await program.put('/users/ann', password === undefined ? rest : { ...rest, password })
      assert.equal(response.status, 200)
      assert.ok(await (await users()).authenticate('ann', ANN.password))
    })
  }

  for (const field of ['name', 'full_name', 'email'] as const) {
    test(`answers 400 without ${field}, and stores nothing`, async () => {
      const { [field]: _, ...rest } = { ...ANN, email: 'new@example.org' }
      const response = await program.put('/users/ann', rest)
      assert.equal(response.statusLine, `400 Bad Request -- ${field}: must be given`)
      assert.deepEqual(await stored(), [PUBLIC_ANN])
    })
  }

  test('answers 404 when there is nobody, whatever the form says', async () => {
    assert.equal((await program.put('/users/nobody', ANN)).statusLine, '404 Not Found')
    assert.equal((await program.put('/users/nobody', {})).statusLine, '404 Not Found')
  })
})

describe('DELETE /users/ID', () => {
  test('removes the user and answers with an empty body', async () => {
    const response = await program.delete('/users/ann')
    assert.equal(response.statusLine, '200 OK')
    assert.equal(response.text, '')
    assert.deepEqual(await stored(), [])
  })

  test('answers 404 when there is nobody', async () => {
    assert.equal((await program.delete('/users/nobody')).statusLine, '404 Not Found')
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })
})

describe('a browser, whose forms only know POST', () => {
  async function edit(values: Record<string, string>): Promise<TestResponse> {
    const page = await (await browser.get('/users/ann')).click('Edit')
    return page.form('edit-user').fill(values).submit()
  }

  test('changes a user and comes back to the page', async () => {
    const response = await edit({ full_name: 'Ann Changed' })
    assert.equal(response.statusLine, '303 See Other')
    assert.equal(response.text, '')
    const page = await response.follow()
    page.mustContain('Ann Changed')
  })

  test('renames a user and is led to the new page', async () => {
    const response = await edit({ name: 'anna' })
    assert.equal(response.status, 301)
    const page = await response.follow()
    assert.equal(page.status, 200)
    page.mustContain('anna')
  })

  test('sees the form again when it does not validate', async () => {
    const response = await edit({ email: 'nonsense' })
    assert.match(response.statusLine, /^400 Bad Request -- email: /)
    assert.equal(response.form('edit-user').get('email'), 'nonsense')
    assert.equal(response.form('edit-user').action, 'http://localhost/users/ann')
  })

  test('sees the form again when the name is taken', async () => {
    await program.post('/users', BOB)
    const response = await edit({ name: 'bob' })
    assert.equal(response.statusLine, '409 Conflict')
    assert.equal(response.form('edit-user').action, 'http://localhost/users/ann')
  })

  test('deletes a user and comes back to the list', async () => {
    const response = await (await browser.get('/users/ann')).form('delete-user').submit()
    assert.equal(response.statusLine, '303 See Other')
    assert.equal(response.text, '')
    assert.equal((await response.follow()).request.url.pathname, '/users')
    assert.deepEqual(await stored(), [])
  })

  test('is not used by a form on another site', async () => {
    const site = { 'sec-fetch-site': 'cross-site' }
    for (const headers of [site, { origin: 'http://evil.example' }, { origin: 'null' }]) {
      assert.equal((await browser.post('/users', BOB, { headers })).status, 403)
      assert.equal((await browser.post('/users/ann', { _method: 'DELETE' }, { headers })).status, 403)
      assert.equal((await browser.delete('/users/ann', { headers })).status, 403)
    }
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })

  test('that is a program gets no page to go to', async () => {
    const response = await program.post('/users/ann', { ...ANN, _method: 'put' })
    assert.equal(response.statusLine, '200 OK')
    assert.equal(response.text, '')
  })
})

describe('wrong input', () => {
  const multipart = (part: string) => `--x\r\nContent-Disposition: form-data; ${part}\r\n\r\nann\r\n--x--\r\n`
  const cases: [what: string, contentType: string, body: string | Uint8Array, status: number][] = [
    ['nothing', '', '', 400],
    ['an empty form', 'application/x-www-form-urlencoded', '', 400],
    ['JSON', 'application/json', JSON.stringify(BOB), 415],
    ['text', 'text/plain', 'name=bob', 415],
    ['no media type', 'nonsense', 'name=bob', 415],
    ['a list', 'application/x-www-form-urlencoded', 'name[]=bob&name[]=bob', 400],
    ['a field twice', 'application/x-www-form-urlencoded', `${new URLSearchParams(BOB)}&name=eve`, 400],
    ['broken escapes', 'application/x-www-form-urlencoded', 'name=%zz&full_name=%', 400],
    [
      'bytes that are no text',
      'application/x-www-form-urlencoded',
      `${new URLSearchParams({ ...BOB, full_name: '' })}&`.replace('full_name=', 'full_name=%ff%fe'),
      400,
    ],
    [
      'half a character',
      'application/x-www-form-urlencoded',
      `${new URLSearchParams({ ...BOB, full_name: '' })}`.replace('full_name=', 'full_name=%ED%A0%80'),
      400,
    ],
    [
      'an unknown charset',
      'application/x-www-form-urlencoded; charset=klingon',
      `${new URLSearchParams(BOB)}`,
      415,
    ],
    ['very many fields', 'application/x-www-form-urlencoded', 'a=1&'.repeat(20_000), 413],
    [
      'a very long field',
      'application/x-www-form-urlencoded',
      `${new URLSearchParams(BOB)}&full_name=${'x'.repeat(3_000_000)}`,
      413,
    ],
    ['multipart without a boundary', 'multipart/form-data', multipart('name="name"'), 400],
    ['multipart that breaks off', 'multipart/form-data; boundary=x', '--x\r\nContent-Disp', 400],
    ['a file for a name', 'multipart/form-data; boundary=x', multipart('name="name"; filename="a.txt"'), 400],
  ]
  for (const [what, contentType, body, status] of cases) {
    test(`that is ${what} is the client’s fault, and stores nothing`, async () => {
      const response = await program.post('/users', body, { contentType })
      assert.equal(response.status, status, response.statusLine)
      assert.deepEqual(await stored(), [PUBLIC_ANN])
    })
  }

  for (const [field, value] of [
    ['name', 'new'],
    ['name', 'bob.json'],
    ['name', 'x'.repeat(65)],
    ['name', 'b\0b'],
    ['name', 'bob\r\nset-cookie: a=b'],
    ['full_name', 'x'.repeat(201)],
    ['full_name', 'a\0b'],
    ['email', 'bob@example.org\r\nbcc: eve@example.org'],
    ['password', 'x'.repeat(1025)],
  ] as const) {
    test(`in ${field} is 400 in create and update: ${JSON.stringify(value.slice(0, 24))}`, async () => {
      for (const response of [
        await program.post('/users', { ...BOB, [field]: value }),
        await program.put('/users/ann', { ...ANN, [field]: value }),
        await browser.post('/users', { ...BOB, [field]: value }),
      ]) {
        assert.match(response.statusLine, new RegExp(`^400 Bad Request -- ${field}: must `))
      }
      assert.deepEqual(await stored(), [PUBLIC_ANN])
    })
  }

  test('in the method is 405 with what is allowed', async () => {
    const response = await program.patch('/users/ann', { name: 'eve' })
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'DELETE, GET, HEAD, OPTIONS, PUT')
  })

  test('that names an action does not run it on GET', async () => {
    for (const path of ['/users/delete/ann', '/users/create/x', '/users/update/ann']) await program.get(path)
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })
})
