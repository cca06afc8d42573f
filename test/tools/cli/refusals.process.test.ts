import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { bareProject, contents, propylonHere, temporaryFolder, writeTree } from './command-line.ts'
import { propylon } from './command-process.ts'
import { REFUSED_NAMES } from './refused-names.ts'

/** Checks that a command is refused: one line on stderr, status 2, nothing on stdout, nothing written. */
async function refused(words: readonly string[], cwd: string, because: RegExp, execute = propylonHere): Promise<void> {
  const before = contents(cwd)
  const { status, stdout, stderr } = await execute(words, cwd)
  assert.equal(status, 2, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, because)
  assert.match(stderr, /^propylon: [^\n]+\n$/, 'one line')
  assert.equal(stderr, stripVTControlCharacters(stderr), 'no colours')
  assert.deepEqual(contents(cwd), before)
}

describe('names are refused on the command line', () => {
  const project = bareProject()
  // Names with NUL, which cannot be an argument, and options are tested elsewhere.
  const some = REFUSED_NAMES.filter(([typed]) => !/^-|\0/.test(typed))
  for (const [typed, because] of some) {
    test(`controller ${JSON.stringify(typed.slice(0, 20))}`, () => refused(['controller', typed], project, because))
    test(`restcontroller thing ${JSON.stringify(typed.slice(0, 20))}`, () =>
      refused(['restcontroller', 'thing', typed], project, because))
    test(`restcontroller ${JSON.stringify(typed.slice(0, 20))} things`, () =>
      refused(['restcontroller', typed, 'things'], project, because))
  }
})

describe('a command line is refused', () => {
  const project = bareProject()
  writeTree(project, {
    'controllers/hello.ts': 'mine',
    'controllers/old.js': 'mine',
    'controllers/with_dash.ts': 'mine',
    'controllers/Upper.ts': 'mine',
    'tests/functional/test_admin_panel.ts': 'mine',
  })
  symlinkSync(temporaryFolder(), join(project, 'controllers/outside'))
  const table: [words: string, because: RegExp][] = [
    ['contoller hello', /no command 'contoller'; did you mean 'propylon controller'\?/],
    ['frobnicate', /no command 'frobnicate'; available commands: create/],
    ['deploy docker', /no command 'deploy'; (?:available commands: create|did you mean 'propylon )/],
    ['docs sessions', /no command 'docs'; (?:available commands: create|did you mean 'propylon )/],
    ['shadow requests.jsonl', /no command 'shadow'; (?:available commands: create|did you mean 'propylon )/],
    ['upgrade --dry-run', /no command 'upgrade'; (?:available commands: create|did you mean 'propylon )/],
    ['--hepl', /no option '--hepl'; did you mean '--help'\?/],
    ['controller', /takes 1 argument, but got 0; write 'propylon controller NAME/],
    ['controller a b', /takes 1 argument, but got 2/],
    ['restcontroller a', /takes at least 2 arguments, but got 1/],
    ['restcontroller a b --map', /no option '--map'/],
    ['restcontroller a b title:strin', /'title:strin' has no known type; did you mean 'title:string'\?/],
    ['restcontroller a b title:', /has no known type; write NAME:TYPE with one of string, text/],
    ['restcontroller a b title:string:text', /has no known type/],
    ['restcontroller a b toString', /'toString' is a reserved word/],
    ['restcontroller a b class', /'class' is a reserved word/],
    ['restcontroller a b id:int', /'id' belongs to the resource itself/],
    ['restcontroller a b ID', /'ID' belongs to the resource itself/],
    ['restcontroller a b _method', /'_method' belongs to the resource itself/],
    ['restcontroller a b title Title:text', /'Title' exists already as 'title'; name each field once/],
    ['restcontroller a b title title', /'title' exists already; name each field once/],
    ['restcontroller a b 1st', /'1st' is not an identifier/],
    ['restcontroller a b first-name', /'first-name' is not an identifier/],
    ['restcontroller a b größe', /is not an identifier/],
    [`restcontroller a b ${'x'.repeat(64)}`, /more than 63 characters/],
    ['create', /takes 1 argument, but got 0/],
    ['controller x --dry-rum', /no option '--dry-rum'; did you mean '--dry-run'\?/],
    ['controller x --map', /no option '--map'/],
    ['controller -x', /no option '-x'/],
    ['controller x --__proto__', /no option '--__proto__'/],
    ['controller x --constructor', /no option '--constructor'/],
    ['controller x --dry-run=yes', /'--dry-run' takes no value, but got 'yes'/],
    ['controller -- -x', /underscore/],
    ['controller -- --dry-run', /underscore/],
    ['controller -- --help', /underscore/],
    ['controller hello', /'hello' exists already: controllers\/hello\.ts; remove it first/],
    ['controller hello --dry-run', /exists already/],
    ['controller old', /exists already: controllers\/old\.js/],
    ['controller with-dash', /'with_dash' exists already/],
    ['restcontroller x hello', /exists already/],
    ['controller upper', /differs from controllers\/upper\.ts only in case/],
    [
      'controller admin/panel',
      /test_admin_panel\.ts exists already; remove it first, or omit the test with '--no-test'/,
    ],
    ['controller hello.ts/x', /identifier/],
    ['controller outside/x', /leads out of the project/],
    ['restcontroller news news', /cannot be both singular and plural/],
    ['restcontroller comment comments --route', /no config\/routing\.ts; add this line above/],
    ['serve --port 65536', /'65536' is not a port/],
    ['serve --port eighty', /is not a port/],
    ['serve --workers 0', /'0' is not 'auto' or a number of workers; write a whole number from 1 to 1024/],
    ['serve --max-buffered-bytes 1M', /'1M' is not a number of bytes; write a whole number/],
    ['serve --listen /run/app.sock', /is not a socket; write unix: and a path/],
    ['serve --listen unix:/a --port 80', /--listen excludes --port and --host/],
    ['serve --trust-proxy localhost', /--trust-proxy is 'localhost'; write addresses, ranges and 'unix'/],
    ['serve --proxy-headers Forwarded', /--proxy-headers is 'Forwarded'; write 'x-forwarded' or 'forwarded'/],
    ['serve --max-requests -1', /max-requests/],
    ['serve --max-requests many', /'many' is not a number of requests; write a whole number/],
    ['serve --body-timeout 1m', /'1m' is not a number of seconds; write a number, such as 60/],
    ['serve --drain-timeout 1e3', /'1e3' is not a number of seconds/],
    ['serve --workers', /'--workers' needs a value; write '--workers=N'/],
    ['serve --workers=', /needs a value/],
    ['serve --workers --eager', /needs a value/],
    ['serve --zzz', /no option '--zzz'; see 'propylon serve --help'/],
    ['routes', /has no app\.ts/],
    ['shell', /has no app\.ts/],
    ['run', /takes at least 1 argument/],
    ['run none.ts', /there is no file '.*none\.ts'/],
    ['run package.json', /has no app\.ts/],
    ['run package.json --stop-timeout 1m', /'1m' is not a number of seconds/],
    ['xmlrpc', /takes at least 1 argument/],
    ['xmlrpc demo', /not the URL of a service/],
    ['xmlrpc file:///etc/passwd', /not the URL of a service/],
    ['xmlrpc http://127.0.0.1:1/ lits', /did you mean 'list'\?/],
    ['xmlrpc http://127.0.0.1:1/ call', /needs a method/],
    ['xmlrpc http://127.0.0.1:1/ call m [1', /not valid JSON/],
    ['xmlrpc http://127.0.0.1:1/ list x', /takes no argument 'x'/],
  ]
  for (const [words, because] of table) {
    test(words, () => refused(words.split(' ').filter(Boolean), project, because))
  }
})

test('an option with a line end is refused in one line', () =>
  refused(['controller', 'x', '--new\nline'], bareProject(), /no option '--new\\u000aline'/))

describe('a process that refuses its arguments ends with status 2', () => {
  const inProcess = (words: readonly string[], cwd: string) => propylon(words, { cwd })
  const project = bareProject()
  test('for a name', () => refused(['controller', '../up'], project, /leads out/, inProcess))
  test('for an option', () => refused(['serve', '--prot=1'], project, /did you mean '--port'/, inProcess))
})

describe('a resource whose table cannot be created is refused', () => {
  const project = bareProject()
  writeTree(project, {
    'config/database.ts': '',
    'model/tables.ts': 'export interface Tables {\n  sessions: SessionsTable\n}\n',
    'migrations/20260101000000_old.ts': "db.schema.createTable('old_things')",
    'migrations/20260101000001_sql.ts': 'sql`CREATE TABLE IF NOT EXISTS "raws" (id text)`',
    'model/mine.ts': '',
  })
  const table: [words: string, because: RegExp][] = [
    ['session sessions', /the table 'sessions' exists already/],
    ['session Sessions', /the table 'Sessions' exists already/],
    ['thing old/things', /the table 'old_things' exists already/],
    ['raw raws', /the table 'raws' exists already/],
    ['row sqlite/rows', /'sqlite_rows' cannot be the name of a table/],
    ['my mine', /model\/mine\.ts exists already/],
  ]
  for (const [words, because] of table) {
    test(words, () => refused(['restcontroller', ...words.split(' ')], project, because))
  }
})

describe('there is no project', () => {
  for (const words of [['controller', 'hello'], ['restcontroller', 'a', 'b'], ['routes'], ['serve'], ['shell']]) {
    test(`for ${words[0]}`, () =>
      refused(words, temporaryFolder(), /no project in .* create one with 'propylon create DIR'/))
  }
  test('with a package.json only', async () => {
    const folder = temporaryFolder()
    writeTree(folder, { 'package.json': '{}' })
    await refused(['controller', 'hello'], folder, /no project/)
  })
})

describe('create refuses', () => {
  const folder = temporaryFolder()
  writeTree(folder, { 'full/.keep': '', file: '' })
  symlinkSync('nowhere', join(folder, 'dangling'))
  const table: [dir: string, because: RegExp][] = [
    ['full', /'full' is not empty; choose a new or an empty one/],
    ['file', /'file' is not a folder/],
    ['file/below', /'file\/below' is not a folder/],
    ['dangling', /symbolic link to a missing file/],
    ['dangling/below', /nothing was written: ENOENT.*choose another folder/],
    ['.', /not empty/],
    ['', /no name/],
    [' ', /no name/],
    ['new\nline', /control character/],
  ]
  for (const [dir, because] of table) {
    test(JSON.stringify(dir), () => refused(['create', dir], folder, because))
  }
})

test('a folder that may not be written to is refused', {
  skip: process.getuid?.() === 0 && 'root may write everywhere',
}, async () => {
  const project = bareProject()
  mkdirSync(join(project, 'tests'))
  chmodSync(join(project, 'controllers'), 0o500)
  await refused(['controller', 'hello'], project, /nothing was written/)
})
