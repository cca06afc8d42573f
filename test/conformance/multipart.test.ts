/** Bytes of multipart forms, and their fields and files: cases of busboy, which multer uses, and of Werkzeug. */
import { describe } from 'node:test'
import { FrameworkApp, Mapper, WSGIController } from 'propylon'
import { agrees } from './cases.ts'
import { send, servedFor } from './client.ts'

/** A part of a form, as the controller returns it: a file has its content in base64. */
interface SentPart {
  readonly name: string
  readonly filename?: string | undefined
  readonly type?: string | undefined
  readonly content: string
}

/** A form and its outcome. The characters of the form are bytes: see {@link utf8}. The boundary is `foo` by default. */
type Row = readonly [
  name: string,
  body: string,
  outcome: string | readonly string[],
  reason?: string | undefined,
  boundary?: string,
]

/** Outcome of a form that is not accepted. Frameworks have different statuses for it. */
const REFUSED = 'refused'

/** Returns the bytes of a text, as characters. */
function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Returns a form of the boundary `foo`. A part is its header fields and its content. */
function form(...parts: readonly (readonly [header: string, content: string])[]): string {
  return `${parts.map(([header, content]) => `--foo\r\n${header}\r\n\r\n${content}\r\n`).join('')}--foo--`
}

/** Returns the header of a field, or of a file. */
function header(name: string, filename?: string, type?: string): string {
  const field = `Content-Disposition: form-data; name="${name}"`
  return [
    filename === undefined ? field : `${field}; filename="${filename}"`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
  ].join('\r\n')
}

/** Returns the fields, and then the files with their media types. Long contents are shortened. */
function outcomeOf(parts: readonly SentPart[]): string {
  const fields = parts.filter(({ filename }) => filename === undefined)
  const files = parts.filter(({ filename }) => filename !== undefined)
  const texts = [
    ...fields.map(({ name, content }) => `${name}=${shortened(content)}`),
    ...files.map(({ name, filename, type = '', content }) => {
      const bytes = Buffer.from(content, 'base64').toString('latin1')
      return `${name}=${shortened(bytes)} (${shortened(filename ?? '')}, ${type.replace(/ *;.*/, '')})`
    }),
  ]
  return texts.join(' & ') || 'nothing'
}

/** Returns a text of at most 40 characters, without control characters. */
function shortened(text: string): string {
  const visible = JSON.stringify(text).slice(1, -1)
  return visible.length <= 40 ? visible : `${visible.slice(0, 10)}… of ${text.length}`
}

const OCTETS = 'application/octet-stream'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const MALFORMED = 'RFC 7578 §4.2 requires a name for each part. A form that breaks this is refused with 400.'
const PATHS =
  'The name is what the client sent, so it may be a path. Code that stores a file checks the name first, as the guide on forms shows.'

const BUSBOY: readonly Row[] = [
  [
    'fields and files',
    form(
      [header('file_name_0'), 'super alpha file'],
      [header('file_name_1'), 'super beta file'],
      [header('upload_file_0', '1k_a.dat', OCTETS), 'A'.repeat(1023)],
      [header('upload_file_1', '1k_b.dat', OCTETS), 'B'.repeat(1023)],
    ),
    `file_name_0=super alpha file & file_name_1=super beta file & upload_file_0=AAAAAAAAAA… of 1023 (1k_a.dat, ${OCTETS}) & upload_file_1=BBBBBBBBBB… of 1023 (1k_b.dat, ${OCTETS})`,
  ],
  [
    'a name without quotes',
    form([header('cont'), 'some random content'], ['Content-Disposition: form-data; name=bit', '2']),
    'cont=some random content & bit=2',
  ],
  ['no content', '', REFUSED],
  [
    'names of files that are paths',
    form(
      [header('a', '/tmp/1k_a.dat', OCTETS), LETTERS],
      [header('b', 'C:\\files\\1k_b.dat', OCTETS), LETTERS],
      [header('c', 'relative/1k_c.dat', OCTETS), LETTERS],
    ),
    `a=${LETTERS} (1k_a.dat, ${OCTETS}) & b=${LETTERS} (1k_b.dat, ${OCTETS}) & c=${LETTERS} (1k_c.dat, ${OCTETS})`,
    PATHS,
  ],
  [
    'empty Content-Type and Content-Disposition',
    form([`${header('cont')}\r\nContent-Type: `, 'some random content'], ['Content-Disposition: ', 'some random pass']),
    'cont=some random content',
    MALFORMED,
  ],
  [
    'filename* with percent-encoded UTF-8',
    form([
      `Content-Disposition: form-data; name="file"; filename*=utf-8''n%C3%A4me.txt\r\nContent-Type: ${OCTETS}`,
      LETTERS,
    ]),
    `file=${LETTERS} (näme.txt, ${OCTETS})`,
  ],
  [
    'UTF-8 in filename',
    form([header('upload_file_0', utf8('テスト.dat'), OCTETS), LETTERS]),
    `upload_file_0=${LETTERS} (テスト.dat, ${OCTETS})`,
  ],
  [
    'a header that ends amid a line',
    [
      '--foo\r\n',
      'Content-Type: text/plain\r\n',
      'Content-Disposition: form-data; name="foo"\r\n',
      '\r\n',
      'asd\r\n',
      '--foo--',
    ].join(':)'),
    REFUSED,
  ],
  ['a media type of a field', form([header('cont', undefined, 'application/json'), '{}']), 'cont={}'],
  ['a form without parts', '--foo--', 'nothing'],
  [
    'the end before the content of a file',
    `--foo\r\n${header('upload_file_0', '1k_a.dat', OCTETS)}\r\nContent-Transfer-Encoding: binary\r\n\r\n`,
    REFUSED,
  ],
  ['the end within a file', `--foo\r\n${header('upload_file_0', '1k_a.dat', OCTETS)}\r\n\r\na`, REFUSED],
  [
    'a text with charset',
    form([header('upload_file_0', 'notes.txt', 'text/plain; charset=utf8'), 'a']),
    'upload_file_0=a (notes.txt, text/plain)',
  ],
  [
    'a folded field',
    form([header('upload_file_0', 'notes.txt', '\r\n text/plain; charset=utf8'), 'a']),
    'upload_file_0=a (notes.txt, text/plain)',
  ],
  ['a part without Content-Disposition', form(['Content-Type: text/plain; charset=utf8', 'a']), 'nothing', MALFORMED],
  [
    'an oversized header',
    form(
      [header('upload_file_0', `${'a'.repeat(128 * 1024)}.txt`, 'text/plain'), 'ab'],
      [header('upload_file_1', 'notes2.txt', 'text/plain'), 'cd'],
    ),
    REFUSED,
  ],
  [
    'a CR before more content',
    form([header('upload_file_0', 'notes.txt', 'text/plain'), `${'a'.repeat(31)}\r${'b'.repeat(40)}`]),
    'upload_file_0=aaaaaaaaaa… of 72 (notes.txt, text/plain)',
  ],
  [
    'an empty file after a preamble',
    `\r\n--foo\r\nContent-Type: application/gzip\r\nContent-Encoding: gzip\r\nContent-Disposition: form-data; name=batch-1; filename=batch-1\r\n\r\n\r\n--foo--`,
    'batch-1= (batch-1, application/gzip)',
  ],
]

const PNG = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR--\r\n\0\xff'
const IMAGE = shortened(PNG)

/** A form with two images and a text, as a browser sends it. */
function browser(
  name: string,
  boundary: string,
  files: readonly [string, string],
  text: string,
  type = 'image/png',
): Row {
  const body = form(
    [header('file1', files[0], type), PNG],
    [header('file2', files[1], type), PNG],
    [header('text'), utf8(text)],
  )
  return [
    name,
    body.replaceAll('--foo', `--${boundary}`),
    `text=${shortened(text)} & file1=${IMAGE} (${files[0]}, ${type}) & file2=${IMAGE} (${files[1]}, ${type})`,
    undefined,
    boundary,
  ]
}

/** Returns a form with other line ends. */
const lines = (end: string) =>
  form(
    ['Content-Disposition: form-data; name=foo', 'this is just bar'],
    ['Content-Disposition: form-data; name=bar', 'blafasel'],
  ).replaceAll('\r\n', end)

const LINE_ENDS = 'RFC 2046 §5.1.1 requires CR and LF around a boundary.'
const file = (name: string, content: string, type: string) => `${name}=${content} (${type})`

/** The images of its forms of browsers are other bytes here. */
const WERKZEUG: readonly Row[] = [
  browser(
    'Firefox 3',
    '---------------------------186454651713519341951581030105',
    ['anchor.png', 'application_edit.png'],
    'example text',
  ),
  browser(
    'Firefox 3, a text with lines like boundaries',
    '---------------------------14904044739787191031754711748',
    ['accept.png', 'add.png'],
    '--long text\r\n--with boundary\r\n--lookalikes--',
  ),
  browser(
    'Opera 8',
    '----------zEO9jQKmLc2Cq88c23Dx19',
    ['arrow_branch.png', 'award_star_bronze_1.png'],
    'blafasel öäü',
  ),
  browser(
    'WebKit 3',
    '----WebKitFormBoundaryjdSFhcARk8fyGNy6',
    ['gtk-apply.png', 'gtk-no.png'],
    'this is another text with ümläüts',
  ),
  browser(
    'Internet Explorer 6',
    '---------------------------7d91b03a20128',
    ['file1.png', 'file2.png'],
    'ie6 sucks :-/',
    'image/x-png',
  ),
  [
    'Internet Explorer 7, the path of a file',
    form([
      header(
        'cb_file_upload_multiple',
        'C:\\Documents and Settings\\me\\Meeting 02-22-2010doc.doc',
        'application/msword',
      ),
      'x',
    ]),
    'cb_file_upload_multiple=x (Meeting 02-22-2010doc.doc, application/msword)',
    'The name is what the client sent, so it may be a path. Code that stores a file checks the name first, as the guide on forms shows.',
  ],
  [
    'no end',
    `--foo\r\n${header('test', 'test.txt', 'text/plain')}\r\n\r\nfile contents and no end`,
    [REFUSED, 'nothing'],
  ],
  [
    'a file without a media type',
    form([header('test', 'test.txt'), 'file contents']),
    ['', 'application/octet-stream', 'text/plain'].map((type) => file('test', 'file contents', `test.txt, ${type}`)),
  ],
  ['empty lines before the first part', `\r\n\r\n${form([header('foo'), 'a string'])}`, 'foo=a string'],
  [
    'other fields of a part',
    form([
      `Content-Disposition: form-data; name="foo"; filename="foo.txt"\r\nX-Custom-Header: blah\r\nContent-Type: text/plain; charset=utf-8`,
      'file contents, just the contents',
    ]),
    file('foo', 'file contents, just the contents', 'foo.txt, text/plain'),
  ],
  ['lines that end with LF', lines('\n'), 'foo=this is just bar & bar=blafasel', LINE_ENDS],
  ['lines that end with CR', lines('\r'), 'foo=this is just bar & bar=blafasel', LINE_ENDS],
  ['lines that end with CR and LF', lines('\r\n'), 'foo=this is just bar & bar=blafasel'],
  ['a part without header fields', '--foo\r\n\r\nHello World\r\n--foo--', REFUSED],
  ['no last boundary', '--foo\r\nContent-Disposition: form-field; name=foo\r\n\r\nHello World\r\n', REFUSED],
  ['a form without parts', '--foo--', 'nothing'],
  [
    'a name of a file in pieces (RFC 2231)',
    form([
      'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=rfc2231;\r\n\tfilename*0*=ascii\'\'a%20b%20;\r\n\tfilename*1*=c%20d%20;\r\n\tfilename*2="e f.txt"',
      'file contents',
    ]),
    file('rfc2231', 'file contents', 'a b c d e f.txt, text/plain'),
    'No browser sends a name in pieces, and RFC 7578 §4.2 forbids even the simpler encoding of RFC 5987. Without `filename` the part is a field.',
  ],
  [
    'an empty field',
    form(
      [header('text', undefined, 'text/plain; charset="UTF-8"'), 'Some Text'],
      [header('empty', undefined, 'text/plain; charset="UTF-8"'), ''],
    ),
    'text=Some Text & empty=',
  ],
  [
    'text after the last boundary',
    `${form([header('fname'), utf8('ß∑œß∂ƒå∂')], [header('lname', 'bob'), 'asdasd'])}\r\n    `,
    ['', 'application/octet-stream', 'text/plain'].map((type) => `fname=ß∑œß∂ƒå∂ & lname=asdasd (bob, ${type})`),
  ],
  [
    'a file with CR at the end',
    form([header('foo', 'test.txt', 'text/plain'), `${'\0'.repeat(65_535)}\r`]),
    file('foo', '\\u0000\\u0000… of 65536', 'test.txt, text/plain').replace(
      '\\u0000\\u0000',
      '\\u0000\\u00'.slice(0, 10),
    ),
  ],
  ...['A', '\n', '\r', '\r\n', '\n\r', 'A\n', 'A\r', 'A\r\n', 'A\n\r'].map(
    (start): Row => [
      `a file that begins with ${shortened(start)}`,
      form([header('test', 'testfile', 'application/octet-stream'), `${start}\r\nBCDE`]),
      file('test', shortened(`${start}\r\nBCDE`), 'testfile, application/octet-stream'),
    ],
  ),
]

class FormsController extends WSGIController {
  async upload() {
    const parts: SentPart[] = []
    for await (const part of this.request.parts()) {
      const { name, filename, contentType: type } = part
      const content = filename === undefined ? await part.text() : Buffer.from(await part.bytes()).toString('base64')
      parts.push(filename === undefined ? { name, content } : { name, filename, type, content })
    }
    return parts
  }
}

describe('request.parts()', () => {
  const map = new Mapper().connect('/', { controller: 'forms', action: 'upload' })
  const port = servedFor(() => new FrameworkApp({ map, controllers: { forms: FormsController } }))
  const parses = (project: string, rows: readonly Row[]) => {
    const cases = rows.map(([name, body, outcome, reason, boundary = 'foo']) => ({
      name,
      input: { body, boundary },
      allowed: typeof outcome === 'string' ? [outcome] : outcome,
      reason,
    }))
    agrees(project, cases, async ({ body, boundary }) => {
      const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` }
      const request = { method: 'POST', path: '/', headers, body: Buffer.from(body, 'latin1') }
      const response = await send(port(), request)
      return response.status < 400 ? outcomeOf(JSON.parse(response.body.toString())) : REFUSED
    })
  }

  // https://github.com/mscdex/busboy/tree/6b3dcf69d38c1a8d53a0b3e4c88ba296f6c91525/test
  parses('busboy 1.6.0', BUSBOY)

  // https://github.com/pallets/werkzeug/tree/1b00618e787f40dfb21eba29caf8f8be7c8e1d93/tests
  parses('Werkzeug 3.2.0.dev', WERKZEUG)
})
