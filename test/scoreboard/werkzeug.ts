/** Cases of Werkzeug's parser of forms. Its forms of browsers have images, for which there are bytes like theirs here. */
import { form, header, multipart, REFUSED, type Row, shortened, utf8 } from './multipart.ts'

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

const ROWS: readonly Row[] = [
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
    ['', 'application/octet-stream', 'text/plain'].map((type) =>
      file('test', 'file contents', `test.txt, ${type}`),
    ),
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
    ['', 'application/octet-stream', 'text/plain'].map(
      (type) => `fname=ß∑œß∂ƒå∂ & lname=asdasd (bob, ${type})`,
    ),
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

export const werkzeug = multipart(
  {
    name: 'Werkzeug',
    version: '3.2.0.dev (1b00618)',
    source: 'https://github.com/pallets/werkzeug/tree/1b00618e787f40dfb21eba29caf8f8be7c8e1d93/tests',
  },
  ROWS,
)
