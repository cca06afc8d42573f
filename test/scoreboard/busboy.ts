/** Cases of busboy, which multer and @fastify/multipart use. */
import { form, header, multipart, REFUSED, type Row, utf8 } from './multipart.ts'

const OCTETS = 'application/octet-stream'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const MALFORMED = 'RFC 7578 §4.2 requires a name for each part. A form that breaks this is refused with 400.'
const PATHS =
  'The name is what the client sent, so it may be a path. Code that stores a file checks the name first, as the guide on forms shows.'

const ROWS: readonly Row[] = [
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
    form(
      [`${header('cont')}\r\nContent-Type: `, 'some random content'],
      ['Content-Disposition: ', 'some random pass'],
    ),
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
  [
    'a part without Content-Disposition',
    form(['Content-Type: text/plain; charset=utf8', 'a']),
    'nothing',
    MALFORMED,
  ],
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

export const busboy = multipart(
  {
    name: 'busboy',
    version: '1.6.0 (6b3dcf6)',
    source: 'https://github.com/mscdex/busboy/tree/6b3dcf69d38c1a8d53a0b3e4c88ba296f6c91525/test',
  },
  ROWS,
)
