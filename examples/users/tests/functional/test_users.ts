import './database.ts'
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hashCheaply } from 'propylon/passwords'
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

let restoreCost: () => void

before(() => {
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'test'
  restoreCost = hashCheaply()
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
})

after(() => restoreCost())

beforeEach(async () => {
  const all = await users()
  for (const { name } of await all.all()) await all.remove(name)
  assert.equal(await all.add(ANN), 'done')
})

describe('GET /users', () => {
  test('shows a page with a link to each user', async () => {
    const response = await program.get('/users')
    assert.equal(response.status, 200)
    assert.equal(response.contentType, 'text/html')
    response.mustContain('href="/users/ann"', 'Ann Example', 'ann@example.org')
  })

  test('escapes the names of users', async () => {
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
    test(`returns JSON at ${path} for ${JSON.stringify(headers)}`, async () => {
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
    test(`returns HTML at ${path} for ${accept}`, async () => {
      const response = await program.get(path, { headers: { accept } })
      assert.equal(response.status, 200)
      assert.equal(response.contentType, 'text/html')
    })
  }

  test('sorts users by name', async () => {
    for (const name of ['b', 'B', 'a']) await program.post('/users', { ...BOB, name })
    const names = (await program.get('/users.json')).json<{ name: string }[]>().map((user) => user.name)
    assert.deepEqual(names, ['B', 'a', 'ann', 'b'])
  })
})

describe('POST /users', () => {
  test('returns 201 with the Location and the page of the new user', async () => {
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

  test('accepts multipart forms', async () => {
    const form = new FormData()
    for (const [name, value] of Object.entries(BOB)) form.set(name, value)
    assert.equal((await program.post('/users', form)).status, 201)
    assert.equal((await program.get('/users/bob.json')).json<typeof BOB>().full_name, BOB.full_name)
  })

  test('returns 409 with the Location of the user who has the name', async () => {
    const response = await program.post('/users', { ...BOB, name: 'ann' })
    assert.equal(response.statusLine, '409 Conflict')
    assert.equal(response.headers.get('location'), '/users/ann')
    response.mustContain('409 Conflict')
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })

  test('creates one user for two concurrent requests with the same name', async () => {
    const responses = await Promise.all([program.post('/users', BOB), program.post('/users', BOB)])
    assert.deepEqual(responses.map((response) => response.status).sort(), [201, 409])
  })

  test('returns the errors to a program in the status line and the body', async () => {
    const response = await program.post('/users', { ...BOB, email: 'bob', password: 'short' })
    const line =
      '400 Bad Request -- email: must be an e-mail address like joe@example.org; password: must have at least 8 characters'
    assert.equal(response.statusLine, line)
    assert.equal(response.contentType, 'text/plain')
    response.mustContain(line).mustNotContain('short')
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })

  test('shows a browser the form with the errors and the submitted values, except the password', async () => {
    const response = await browser.post('/users', { ...BOB, name: 'b o b', email: '"bob"' })
    assert.match(response.statusLine, /^400 Bad Request -- name: must begin with .*; email: must be an e-mail/)
    response.mustContain(response.statusLine).mustNotContain(BOB.password)
    const form = response.form('new-user')
    assert.equal(form.get('name'), 'b o b')
    assert.equal(form.get('full_name'), BOB.full_name)
    assert.equal(form.get('email'), '"bob"')
    assert.equal(form.get('password'), '')
    for (const field of ['name', 'email']) {
      response.mustContain(new RegExp(`id="${field}"[^>]*aria-invalid="true"[^>]*aria-describedby="${field}-error`))
    }
    response.mustContain('id="email-error"').mustNotContain('id="full_name-error"')
  })

  test('accepts the corrected form of a browser', async () => {
    const refused = await browser.post('/users', { ...BOB, name: 'ann' })
    assert.equal(refused.statusLine, '409 Conflict')
    refused.mustContain('409 Conflict', 'href="/users/ann"')
    const created = await refused.form('new-user').set('name', 'bob').set('password', BOB.password).submit()
    assert.equal(created.status, 201)
  })
})

describe('GET /users/new', () => {
  for (const path of ['/users/new', '/users/new.html', '/users/new?format=json']) {
    test(`shows the empty form at ${path}`, async () => {
      const form = (await browser.get(path)).form('new-user')
      assert.deepEqual(form.fields, ['name', 'full_name', 'email', 'password'])
      assert.equal(form.method, 'POST')
      assert.equal(form.action, 'http://localhost/users')
      for (const field of form.fields) assert.equal(form.get(field), '')
    })
  }

  test('has a label for each field', async () => {
    const { text } = await browser.get('/users/new')
    for (const id of ['name', 'full_name', 'email', 'password']) assert.ok(text.includes(`<label for="${id}">`))
  })
})

describe('GET /users/ID', () => {
  test('shows the page of the user with a form to delete the user', async () => {
    const response = await browser.get('/users/ann')
    response.mustContain('Ann Example', 'ann@example.org', '/users/ann;edit')
    assert.equal(response.form('delete-user').get('_method'), 'DELETE')
  })

  for (const path of ['/users/ann.json', '/users/ann?format=json']) {
    test(`returns JSON at ${path}`, async () => {
      const response = await program.get(path)
      assert.equal(response.headers.get('content-type'), 'text/javascript')
      assert.deepEqual(response.json(), PUBLIC_ANN)
    })
  }

  test('does not mistake the end of a name with a dot for a format', async () => {
    await program.post('/users', { ...BOB, name: 'john.doe' })
    assert.equal((await program.get('/users/john.doe')).contentType, 'text/html')
    assert.equal((await program.get('/users/john.doe.json')).json<typeof BOB>().name, 'john.doe')
  })

  test('returns JSON in ASCII only', async () => {
    await program.post('/users', { ...BOB, full_name: 'Zoë 𝄞' })
    const response = await program.get('/users/bob.json')
    assert.match(response.text, /^[ -~]+$/)
    assert.equal(response.json<typeof BOB>().full_name, 'Zoë 𝄞')
  })

  for (const path of ['/users/unknown', '/users/Ann', '/users/ann%20', '/users/%F0%9D%84%9E', '/users/x.json']) {
    test(`returns 404 at ${path}`, async () => {
      const response = await program.get(path)
      assert.equal(response.statusLine, '404 Not Found')
      response.mustContain('404 Not Found')
    })
  }

  test('shows a browser a page of this site if the user does not exist', async () => {
    const response = await browser.get('/users/<unknown>')
    assert.equal(response.statusLine, '404 Not Found')
    response.mustContain('404 Not Found', '&lt;unknown&gt;', 'href="/users"')
  })
})

describe('GET /users/ID;edit', () => {
  for (const path of ['/users/ann;edit', '/users/ann/edit']) {
    test(`shows the form with the values of the user at ${path}`, async () => {
      const form = (await browser.get(path)).form('edit-user')
      assert.equal(form.get('_method'), 'PUT')
      assert.equal(form.get('name'), 'ann')
      assert.equal(form.get('full_name'), 'Ann Example')
      assert.equal(form.get('email'), 'ann@example.org')
      assert.equal(form.get('password'), '')
    })
  }

  test('returns 404 if the user does not exist', async () => {
    const response = await program.get('/users/unknown;edit')
    assert.equal(response.statusLine, '404 Not Found')
    response.mustContain('404 Not Found')
  })
})

describe('PUT /users/ID', () => {
  test('stores the values and returns an empty body', async () => {
    const response = await program.put('/users/ann', {
      ...ANN,
      full_name: 'Ann Changed',
      email: 'a@example.com',
    })
    assert.equal(response.statusLine, '200 OK')
    assert.equal(response.text, '')
    assert.deepEqual(await stored(), [{ ...PUBLIC_ANN, full_name: 'Ann Changed', email: 'a@example.com' }])
  })

  test('returns 301 with the new Location after a rename, without caching', async () => {
    const response = await program.put('/users/ann', { ...ANN, name: 'Ann' })
    assert.equal(response.statusLine, '301 Moved Permanently')
    assert.equal(response.headers.get('location'), '/users/Ann')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal((await program.get('/users/ann')).status, 404)
    assert.equal((await program.get('/users/Ann')).status, 200)
  })

  test('returns 409 if another user has the new name', async () => {
    await program.post('/users', BOB)
    const before = await stored()
    const response = await program.put('/users/ann', { ...ANN, name: 'bob' })
    assert.equal(response.statusLine, '409 Conflict')
    response.mustContain('409 Conflict')
    assert.deepEqual(await stored(), before)
  })

  test('changes the password', async () => {
    await program.put('/users/ann', { ...ANN, password: 'another horse' })
    assert.ok(await (await users()).authenticate('ann', 'another horse'))
    await (await users()).remove('ann')
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
    test(`returns 400 without ${field}, and stores nothing`, async () => {
      const { [field]: _, ...rest } = { ...ANN, email: 'new@example.org' }
      const response = await program.put('/users/ann', rest)
      assert.equal(response.statusLine, `400 Bad Request -- ${field}: must be given`)
      assert.deepEqual(await stored(), [PUBLIC_ANN])
    })
  }

  test('returns 404 if the user does not exist, for valid and invalid forms', async () => {
    assert.equal((await program.put('/users/unknown', ANN)).statusLine, '404 Not Found')
    assert.equal((await program.put('/users/unknown', {})).statusLine, '404 Not Found')
  })
})

describe('DELETE /users/ID', () => {
  test('deletes the user and returns an empty body', async () => {
    const response = await program.delete('/users/ann')
    assert.equal(response.statusLine, '200 OK')
    assert.equal(response.text, '')
    assert.deepEqual(await stored(), [])
  })

  test('returns 404 if the user does not exist and changes nothing', async () => {
    assert.equal((await program.delete('/users/unknown')).statusLine, '404 Not Found')
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })
})

describe('a browser, whose forms can only use POST', () => {
  async function edit(values: Record<string, string>): Promise<TestResponse> {
    const page = await (await browser.get('/users/ann')).click('Edit')
    return page.form('edit-user').fill(values).submit()
  }

  test('changes a user and is redirected to the page of the user', async () => {
    const response = await edit({ full_name: 'Ann Changed' })
    assert.equal(response.statusLine, '303 See Other')
    assert.equal(response.text, '')
    const page = await response.follow()
    page.mustContain('Ann Changed')
  })

  test('renames a user and is redirected to the new page', async () => {
    const response = await edit({ name: 'anna' })
    assert.equal(response.status, 301)
    const page = await response.follow()
    assert.equal(page.status, 200)
    page.mustContain('anna')
  })

  test('gets the form again if it is invalid', async () => {
    const response = await edit({ email: 'nonsense' })
    assert.match(response.statusLine, /^400 Bad Request -- email: /)
    assert.equal(response.form('edit-user').get('email'), 'nonsense')
    assert.equal(response.form('edit-user').action, 'http://localhost/users/ann')
  })

  test('gets the form again if the name is taken', async () => {
    await program.post('/users', BOB)
    const response = await edit({ name: 'bob' })
    assert.equal(response.statusLine, '409 Conflict')
    assert.equal(response.form('edit-user').action, 'http://localhost/users/ann')
  })

  test('deletes a user and is redirected to the list', async () => {
    const response = await (await browser.get('/users/ann')).form('delete-user').submit()
    assert.equal(response.statusLine, '303 See Other')
    assert.equal(response.text, '')
    assert.equal((await response.follow()).request.url.pathname, '/users')
    assert.deepEqual(await stored(), [])
  })

  test('gets 403 for a form of another site', async () => {
    const site = { 'sec-fetch-site': 'cross-site' }
    for (const headers of [site, { origin: 'http://evil.example' }, { origin: 'null' }]) {
      assert.equal((await browser.post('/users', BOB, { headers })).status, 403)
      assert.equal((await browser.post('/users/ann', { _method: 'DELETE' }, { headers })).status, 403)
      assert.equal((await browser.delete('/users/ann', { headers })).status, 403)
    }
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })

  test('gets an empty body in place of a redirect if it does not prefer HTML', async () => {
    const response = await program.post('/users/ann', { ...ANN, _method: 'put' })
    assert.equal(response.statusLine, '200 OK')
    assert.equal(response.text, '')
  })
})

describe('invalid input', () => {
  const multipart = (part: string) => `--x\r\nContent-Disposition: form-data; ${part}\r\n\r\nann\r\n--x--\r\n`
  const cases: [what: string, contentType: string, body: string | Uint8Array, status: number][] = [
    ['nothing', '', '', 400],
    ['an empty form', 'application/x-www-form-urlencoded', '', 400],
    ['JSON', 'application/json', JSON.stringify(BOB), 415],
    ['text', 'text/plain', 'name=bob', 415],
    ['a malformed media type', 'nonsense', 'name=bob', 415],
    ['a list', 'application/x-www-form-urlencoded', 'name[]=bob&name[]=bob', 400],
    ['a field twice', 'application/x-www-form-urlencoded', `${new URLSearchParams(BOB)}&name=eve`, 400],
    ['broken escapes', 'application/x-www-form-urlencoded', 'name=%zz&full_name=%', 400],
    [
      'invalid UTF-8',
      'application/x-www-form-urlencoded',
      `${new URLSearchParams({ ...BOB, full_name: '' })}&`.replace('full_name=', 'full_name=%ff%fe'),
      400,
    ],
    [
      'a lone surrogate',
      'application/x-www-form-urlencoded',
      `${new URLSearchParams({ ...BOB, full_name: '' })}`.replace('full_name=', 'full_name=%ED%A0%80'),
      400,
    ],
    ['an unknown charset', 'application/x-www-form-urlencoded; charset=klingon', `${new URLSearchParams(BOB)}`, 415],
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
    test(`returns ${status} for ${what}, and stores nothing`, async () => {
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
    test(`returns 400 for the ${field} ${JSON.stringify(value.slice(0, 24))} in create and update`, async () => {
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

  test('returns 405 with the allowed methods for PATCH', async () => {
    const response = await program.patch('/users/ann', { name: 'eve' })
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'DELETE, GET, HEAD, OPTIONS, PUT')
  })

  test('does not run an action that a GET request names', async () => {
    for (const path of ['/users/delete/ann', '/users/create/x', '/users/update/ann']) await program.get(path)
    assert.deepEqual(await stored(), [PUBLIC_ANN])
  })
})
