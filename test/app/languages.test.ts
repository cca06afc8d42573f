import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { abort, FrameworkApp, type FrameworkAppOptions, HTTPNotFound, Mapper, WSGIController } from 'propylon'
import { body, int, list } from 'propylon/converters'
import { cached, decorate, validate } from 'propylon/decorators'
import { memoryStore } from 'propylon/sessions'
import { TestApp } from 'propylon/testing'
import * as v from 'valibot'

const MESSAGES = {
  en: { hello: 'Hello, {name}!', only: 'Only in English', 'title.empty': 'Please enter a title' },
  de: { hello: 'Hallo, {name}!', 'title.empty': 'Bitte einen Titel eingeben' },
  it: { hello: 'Ciao, {name}!' },
}

const Book = v.object({ title: v.pipe(v.string(), v.minLength(1, 'title.empty')) })

class NoBook extends HTTPNotFound {
  static override readonly explanation = 'There is no such book.'
}

let runs = 0

class PagesController extends WSGIController {
  static args = { count: { n: int, ids: list(int) }, create: { book: body(Book) } }
  index() {
    return this.t('hello', { name: 'Ann' })
  }
  page() {
    return this.render('page', { name: '<b>Ann</b>' })
  }
  plain() {
    return 'Not translated'
  }
  language() {
    return this.request.language
  }
  choose() {
    this.session.set('language', 'de')
    return 'chosen'
  }
  own() {
    this.response.headers.set('Content-Language', 'la')
    return this.t('hello', { name: 'Ann' })
  }
  kept() {
    runs += 1
    return this.t('hello', { name: String(runs) })
  }
  count(n: number, ids: readonly number[]) {
    return { n, ids }
  }
  create(book: v.InferOutput<typeof Book>) {
    return book
  }
  save() {
    return 'saved'
  }
  gone() {
    abort(410, 'No detail')
  }
  missing() {
    throw new NoBook()
  }
  failing() {
    throw new Error('a secret')
  }
  away() {
    return this.t('only')
  }
  static {
    decorate(this, { save: [validate(Book)], kept: [cached({ expires: 60 })] })
  }
}

/** Returns an application with messages. */
function appWith(options: Partial<FrameworkAppOptions> = {}, logged: string[] = []): FrameworkApp {
  return new FrameworkApp({
    map: new Mapper()
      .connect('/in/{language}/{action}', { controller: 'pages' })
      .connect('/{action}', { controller: 'pages' }),
    controllers: { pages: PagesController },
    templates: { page: '<html lang="<%= it.request.language %>"><%= it.t("hello", { name: it.name }) %>' },
    session: { secret: 'a secret of 32 characters or more' },
    messages: MESSAGES,
    languages: ['en', 'de', 'it'],
    logger: { info() {}, warn: (message) => logged.push(message), error: (message) => logged.push(message) },
    ...options,
  })
}

async function get(app: FrameworkApp, path: string, headers: Record<string, string> = {}) {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers }))
  return {
    status: response.status,
    language: response.headers.get('content-language'),
    vary: response.headers.get('vary'),
    text: await response.text(),
  }
}

const app = appWith()

describe('the language of a request', () => {
  const rows: [title: string, path: string, headers: Record<string, string>, language: string][] = [
    ['is the first of the application by default', '/language', {}, 'en'],
    ['is that of the path', '/in/de/language', {}, 'de'],
    ['is that of the cookie', '/language', { cookie: 'language=de' }, 'de'],
    ['is that of the header', '/language', { 'accept-language': 'de' }, 'de'],
    ['follows the weights of the header', '/language', { 'accept-language': 'de;q=0.4, it;q=0.5' }, 'it'],
    ['covers the regions of the header', '/language', { 'accept-language': 'de-AT' }, 'de'],
    ['is the path before the cookie', '/in/it/language', { cookie: 'language=de' }, 'it'],
    ['is the cookie before the header', '/language', { cookie: 'language=de', 'accept-language': 'it' }, 'de'],
    ['passes over an unknown path', '/in/fr/language', { cookie: 'language=de' }, 'de'],
    ['passes over an unknown cookie', '/language', { cookie: 'language=fr', 'accept-language': 'it' }, 'it'],
    ['passes over unknown languages of the header', '/language', { 'accept-language': 'fr, xx, de;q=0.1' }, 'de'],
    ['is the default if the header has none', '/language', { 'accept-language': 'fr' }, 'en'],
    ['is not a name of a prototype', '/in/__proto__/language', { cookie: 'language=constructor' }, 'en'],
    ['is not a path', '/in/..%2Fde/language', {}, 'en'],
    ['reads a bounded part of the header', '/language', { 'accept-language': `${'x-a,'.repeat(2000)}de` }, 'en'],
  ]
  for (const [title, path, headers, language] of rows) {
    it(title, async () => assert.equal((await get(app, path, headers)).text, language))
  }

  for (const [title, session] of [
    ['a cookie', {}],
    ['an encrypted cookie', { encrypt: true }],
    ['a store', { store: memoryStore() }],
  ] as const) {
    it(`is that of the session in ${title}, also on error pages`, async () => {
      const client = new TestApp(appWith({ session: { secret: 'a secret of 32 characters or more', ...session } }))
      await client.get('/choose')
      assert.equal((await client.get('/language')).text, 'de')
      assert.equal((await client.get('/language', { headers: { 'accept-language': 'it' } })).text, 'de')
      const missing = await client.get('/no/such/page', { headers: { accept: 'text/html' }, status: 404 })
      assert.match(missing.text, /<html lang="de">/)
      assert.equal(missing.headers.get('cache-control'), null)
    })
  }

  it('comes from the places of languageFrom only, in their order', async () => {
    const headers = { cookie: 'language=de', 'accept-language': 'it' }
    const fromHeader = appWith({ languageFrom: ['header', 'cookie'] })
    assert.equal((await get(fromHeader, '/in/en/language', headers)).text, 'it')
    const fromPath = appWith({ languageFrom: ['path'] })
    assert.equal((await get(fromPath, '/language', headers)).text, 'en')
    assert.equal((await get(fromPath, '/in/it/language', headers)).text, 'it')
  })

  it('is known to middleware', async () => {
    const seen: string[] = []
    const { Request: PropylonRequest } = await import('propylon')
    const wrapped = appWith({
      middleware: [
        (inner) => (environ, start) => {
          seen.push(PropylonRequest.of(environ).language)
          return inner({ ...environ }, start)
        },
      ],
    })
    const { text, language } = await get(wrapped, '/in/it/index', { 'accept-language': 'de' })
    assert.deepEqual([seen, text, language], [['de'], 'Ciao, Ann!', 'it'])
  })

  it('is an error without messages', async () => {
    const plain = new TestApp(appWith({ messages: undefined, languages: undefined } as never))
    for (const path of ['/language', '/index', '/page']) {
      await assert.rejects(plain.get(path), /The application has no messages. Give them: new FrameworkApp/)
    }
    assert.throws(() => appWith({ messages: undefined, languages: undefined } as never).translator('en'), /no messages/)
  })
})

describe('a translated response', () => {
  it('has Content-Language and Vary', async () => {
    const headers = { 'accept-language': 'de' }
    assert.deepEqual(await get(app, '/index', headers), {
      status: 200,
      language: 'de',
      vary: 'Cookie, Accept-Language',
      text: 'Hallo, Ann!',
    })
    assert.equal((await get(app, '/in/it/index', headers)).vary, 'Accept-Language')
    assert.equal((await get(appWith({ languageFrom: ['header'] }), '/index', headers)).vary, 'Accept-Language')
    assert.equal((await get(appWith({ languageFrom: ['path'] }), '/index', headers)).vary, null)
  })

  it('keeps the Content-Language of the action', async () => {
    assert.equal((await get(app, '/own')).language, 'la')
  })

  it('has the values of templates escaped', async () => {
    const { text, language } = await get(app, '/page', { 'accept-language': 'de' })
    assert.equal(text, '<html lang="de">Hallo, &lt;b&gt;Ann&lt;/b&gt;!')
    assert.equal(language, 'de')
  })

  it('is not one that reads no message', async () => {
    const { language, vary } = await get(app, '/plain', { 'accept-language': 'de' })
    assert.deepEqual([language, vary], [null, null])
  })

  it('is cached for each language', async () => {
    const kept = appWith({ languageFrom: ['header'] })
    const texts: string[] = []
    for (const language of ['de', 'it', 'de', 'it', 'de']) {
      const response = await get(kept, '/kept', { 'accept-language': language })
      assert.deepEqual([response.language, response.vary?.toLowerCase()], [language, 'accept-language'])
      texts.push(response.text)
    }
    assert.deepEqual(new Set(texts), new Set([texts[0], texts[1]]))
    assert.match(texts[0] ?? '', /^Hallo/)
    assert.match(texts[1] ?? '', /^Ciao/)
  })
})

describe('a message', () => {
  it('is that of the default language if the language lacks it', async () => {
    assert.equal((await get(app, '/in/de/away')).text, 'Only in English')
  })

  it('is written in a language outside of requests', () => {
    assert.equal(app.translator('it')('hello', { name: 'Ann' }), 'Ciao, Ann!')
    assert.equal(app.translator('xx')('hello', { name: 'Ann' }), 'Hello, Ann!')
  })
})

describe('the texts of the framework', () => {
  const german = { 'accept-language': 'de', accept: 'application/json' }
  const english = { 'accept-language': 'en', accept: 'application/json' }

  it('are in the language of the request in problem documents', async () => {
    const { text, language } = await get(app, '/count?n=x&n=y&ids=1,z', german)
    assert.equal(language, 'de')
    assert.deepEqual(JSON.parse(text), {
      type: 'about:blank',
      title: 'Ungültige Anfrage',
      status: 400,
      detail: 'n: ist 2-mal angegeben und darf nur einmal angegeben werden; ids: Eintrag 2 muss eine ganze Zahl sein',
      errors: [
        { name: 'n', detail: 'ist 2-mal angegeben und darf nur einmal angegeben werden' },
        { name: 'ids', detail: 'Eintrag 2 muss eine ganze Zahl sein' },
      ],
      statusLine: '400 Bad Request',
    })
    const { detail } = JSON.parse((await get(app, '/count?n=x&ids=1', english)).text)
    assert.equal(detail, 'n: must be an integer')
  })

  for (const path of ['/create', '/save']) {
    it(`are in the language of the request for ${path}, with the messages of a schema that are keys`, async () => {
      const send = (content: string, type: string) =>
        app.fetch(
          new Request(`http://localhost${path}`, {
            method: 'POST',
            headers: { ...german, 'content-type': type },
            body: content,
          }),
        )
      const form = 'application/x-www-form-urlencoded'
      const empty = (await (await send('title=', form)).json()) as { errors: unknown }
      assert.deepEqual(empty.errors, [{ name: 'title', detail: 'Bitte einen Titel eingeben' }])
      const nul = (await (await send('title=%00', form)).json()) as { errors: unknown }
      assert.deepEqual(nul.errors, [{ name: 'title', detail: 'darf das Zeichen NUL nicht enthalten' }])
      const broken = await send('{"title":', 'application/json')
      assert.equal(broken.headers.get('content-language'), 'de')
      assert.match(
        ((await broken.json()) as { detail: string }).detail,
        /^Der Inhalt der Anfrage ist fehlerhaftes JSON/,
      )
    })
  }

  it('are in the language of the request on pages, which name it', async () => {
    const { text, language, vary } = await get(app, '/no/such/page', { ...german, accept: 'text/html' })
    assert.match(
      text,
      /<html lang="de">[\s\S]*<body dir="auto">\n<main>\n<h1>404 Nicht gefunden<\/h1>\n<p>Der Inhalt wurde nicht/,
    )
    assert.deepEqual([language, vary], ['de', 'Cookie, Accept-Language, Accept'])
  })

  it('are in English in a language that has none, and the page says so', async () => {
    const { text, language } = await get(app, '/no/such/page', {
      'accept-language': 'it',
      accept: 'text/html',
    })
    assert.match(text, /<html lang="en">[\s\S]*404 Not Found/)
    assert.equal(language, 'en')
  })

  it('follow the default language before English', async () => {
    const italian = appWith({ languages: ['de', 'it'] })
    const { text } = await get(italian, '/no/such/page', { 'accept-language': 'it', accept: 'text/html' })
    assert.match(text, /<html lang="de">[\s\S]*404 Nicht gefunden/)
    const other = appWith({ languages: ['de', 'en'] })
    const english = await get(other, '/no/such/page', { 'accept-language': 'en', accept: 'text/html' })
    assert.match(english.text, /<html lang="en">[\s\S]*404 Not Found/)
  })

  it('are replaced by messages of their keys', async () => {
    const messages = {
      en: { 'propylon.status.404.title': 'Lost' },
      it: { 'propylon.status.404.title': 'Perso', 'propylon.value.integer': 'deve essere un intero' },
    }
    const italian = appWith({ messages, languages: ['en', 'it'] })
    const html = { accept: 'text/html' }
    assert.match((await get(italian, '/no/such/page', html)).text, /<html lang="en">[\s\S]*404 Lost/)
    assert.match(
      (await get(italian, '/no/such/page', { ...html, 'accept-language': 'it' })).text,
      /<html lang="it">[\s\S]*404 Perso/,
    )
    assert.match((await get(italian, '/in/it/count?n=x&ids=1', english)).text, /n: deve essere un intero/)
  })

  it('do not replace an explanation of the application, which may be a key', async () => {
    const messages = { en: {}, de: { 'There is no such book.': 'Dieses Buch gibt es nicht.' } }
    const keyed = appWith({ messages, languages: ['en', 'de'] })
    const { text } = await get(keyed, '/missing', { ...german, accept: 'text/html' })
    assert.match(text, /404 Nicht gefunden[\s\S]*Dieses Buch gibt es nicht\./)
  })

  it('do not replace the explanation and the detail of the application', async () => {
    const { text } = await get(app, '/missing', { ...german, accept: 'text/html' })
    assert.match(text, /404 Nicht gefunden[\s\S]*There is no such book\./)
    assert.match(
      (await get(app, '/gone', { ...german, accept: 'text/plain' })).text,
      /^410 Nicht mehr vorhanden\n[\s\S]*No detail/,
    )
  })

  it('are translated for an unexpected error', async () => {
    const { status, text, language } = await get(app, '/failing', { ...german, accept: 'text/html' })
    assert.equal(status, 500)
    assert.match(text, /<html lang="de">[\s\S]*500 Interner Fehler/)
    assert.equal(language, 'de')
  })

  it('are translated for a host that is not served', async () => {
    const { text } = await get(appWith({ hosts: ['example.com'] }), '/', { ...german, accept: 'text/plain' })
    assert.match(text, /^400 Ungültige Anfrage\n[\s\S]*nicht unter dem angefragten Host/)
  })

  it('are the values of own pages, whose language is that of the request', async () => {
    const own = appWith({
      templates: {
        lost: '<html lang="<%= it.request.language %>"><%= it.title %> <%= it.explanation %> <%= it.t("hello", { name: 1 }) %>',
      },
      errorPages: { 404: 'lost' },
    })
    for (const [language, text] of [
      ['de', '<html lang="de">Nicht gefunden Der Inhalt wurde nicht gefunden. Hallo, 1!'],
      ['it', '<html lang="it">Not Found The resource could not be found. Ciao, 1!'],
    ] as const) {
      const page = await get(own, '/no/such/page', { 'accept-language': language, accept: 'text/html' })
      assert.deepEqual([page.text, page.language], [text, language])
    }
  })
})

describe('files of messages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'propylon-messages-'))
  after(() => rmSync(folder, { recursive: true }))
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  const messages = pathToFileURL(`${folder}/`)

  it('are read again in debug mode, at once', async () => {
    write('en.json', '\uFEFF{"hello":"Hello, {name}!"}')
    write('de.json', '{"hello":"Hallo, {name}!"}')
    const debug = appWith({ messages, languages: ['en', 'de'], debug: true })
    const production = appWith({ messages, languages: ['en', 'de'] })
    assert.equal((await get(debug, '/in/de/index')).text, 'Hallo, Ann!')
    write('de.json', '{"hello":"Servus, {name}!"}')
    assert.equal((await get(debug, '/in/de/index')).text, 'Servus, Ann!')
    assert.equal((await get(production, '/in/de/index')).text, 'Hallo, Ann!')
    write('de.json', '{"hello":"Servus, {name!"}')
    const broken = await get(debug, '/in/de/index')
    assert.equal(broken.status, 500)
    assert.match(broken.text, /de\.json: the message "hello" is malformed/)
    write('de.json', '{"hello":"Grüezi, {name}!"}')
    assert.equal((await get(debug, '/in/de/index')).text, 'Grüezi, Ann!')
  })

  const wrong: [title: string, options: object, says: RegExp][] = [
    [
      'a missing file',
      { languages: ['en', 'fr'] },
      /messages of the language fr cannot be read: .*fr\.json.*leave fr out/,
    ],
    ['no languages', { languages: undefined }, /languages is an array of 0/],
    ['languages that are no list', { languages: 'en' }, /languages is "en"\. List language tags, the default first/],
    ['a path as language', { languages: ['../en'] }, /languages is an array of 1/],
    ['a language twice', { languages: ['en', 'en'] }, /languages is an array of 2/],
    ['an unknown place', { languageFrom: ['url'] }, /languageFrom is an array of 1\. List places/],
    ['languages without messages', { messages: undefined }, /languages was given without messages/],
    ['messages that are a number', { messages: 1 }, /messages is 1\. Give a directory/],
  ]
  for (const [title, options, says] of wrong) {
    it(`cause an error at start: ${title}`, () => {
      assert.throws(() => appWith({ messages, languages: ['en', 'de'], ...options } as never), says)
    })
  }

  const malformed: [title: string, json: string, says: RegExp][] = [
    ['text that is not JSON', '{"a":', /en\.json is not JSON: /],
    ['a list', '["a"]', /en\.json is an array of 1\. Write an object of keys and texts/],
    ['a group', '{"a":{"b":"c"}}', /en\.json: the message "a" is an object\. Write a text/],
    [
      'an open brace',
      '{"x":"ok","a.b":"Hi {name"}',
      /en\.json: the message "a\.b" is malformed: expect argument closing brace at character 4/,
    ],
    ['a plural without other', '{"a":"{n, plural, one {x}}"}', /"a" is malformed: missing other clause/],
  ]
  for (const [title, json, says] of malformed) {
    it(`cause an error at start that names file and key: ${title}`, () => {
      write('en.json', json)
      assert.throws(() => appWith({ messages, languages: ['en'] }), says)
    })
  }
})
