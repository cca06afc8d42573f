/**
 * A malformed, odd or hostile call, and the result that a server must return. A well-formed one calls `test.echo`.
 * `ok` means that the call has the parameters `params`; a number is the fault code. No call may crash the decoder, or
 * take more than linear time or memory.
 */
export interface HostileCall {
  readonly name: string
  readonly body: string | Uint8Array
  /** `Content-Type` of the request. Default `text/xml`. */
  readonly contentType?: string
  readonly expect: 'ok' | number
  /** Parameters of an `ok` call as JSON, bigints as text with an `n`. Undefined if they do not matter. */
  readonly params?: readonly unknown[]
}

export const NOT_WELL_FORMED = -32700
export const UNSUPPORTED_ENCODING = -32701
export const INVALID_CHARACTER = -32702
export const INVALID_REQUEST = -32600

const HEAD = '<?xml version="1.0"?>'
const NAME = '<methodName>test.echo</methodName>'

const calling = (inner: string) => `${HEAD}<methodCall>${inner}</methodCall>`
const withParams = (inner: string) => calling(`${NAME}<params>${inner}</params>`)
const withValue = (inner: string) => withParams(`<param><value>${inner}</value></param>`)
const member = (name: string, value: string) => `<member><name>${name}</name><value>${value}</value></member>`
const utf8 = (text: string) => new TextEncoder().encode(text)

/** Bytes of Latin-1 text, so that any byte can be written as one character. */
function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}

function utf16(text: string, bigEndian: boolean, mark: boolean): Uint8Array {
  const whole = mark ? `\ufeff${text}` : text
  const out = new Uint8Array(whole.length * 2)
  const view = new DataView(out.buffer)
  for (let i = 0; i < whole.length; i++) view.setUint16(i * 2, whole.charCodeAt(i), !bigEndian)
  return out
}

const table: HostileCall[] = []

function ok(name: string, body: string | Uint8Array, params?: readonly unknown[], contentType?: string): void {
  table.push({
    name,
    body,
    expect: 'ok',
    ...(params !== undefined && { params }),
    ...(contentType !== undefined && { contentType }),
  })
}

function refused(name: string, body: string | Uint8Array, expect: number, contentType?: string): void {
  table.push({ name, body, expect, ...(contentType !== undefined && { contentType }) })
}

/** A type's texts: each what it means, or that it is refused. */
function texts(type: string, meanings: Record<string, unknown>, refusals: readonly string[]): void {
  for (const [text, meaning] of Object.entries(meanings)) {
    ok(`<${type}> ${JSON.stringify(text)}`, withValue(`<${type}>${text}</${type}>`), [meaning])
  }
  for (const text of refusals) {
    const shown = text.length > 40 ? `${text.slice(0, 20)}… (${text.length})` : text
    refused(`<${type}> ${JSON.stringify(shown)}`, withValue(`<${type}>${text}</${type}>`), INVALID_REQUEST)
  }
}

// Scalars.
for (const type of ['int', 'i4']) {
  texts(
    type,
    {
      '0': 0,
      '-0': 0,
      '+5': 5,
      '007': 7,
      '-007': -7,
      ' 5 ': 5,
      '\n\t5\r\n': 5,
      '2147483647': 2147483647,
      '-2147483648': -2147483648,
      '0000000000000000000012': 12,
      '1<!-- -->2': 12,
      '1<?x y?>2': 12,
      '<![CDATA[12]]>': 12,
      '&#49;&#x32;': 12,
    },
    [
      '',
      ' ',
      'abc',
      '12abc',
      '1.5',
      '1.0',
      '0x10',
      '1e3',
      '1 2',
      '- 5',
      '--5',
      '+-5',
      '+',
      '-',
      '2147483648',
      '-2147483649',
      '9223372036854775808',
      '1_000',
      '1,000',
      '１２',
      '٣',
      '\u00a05',
      'NaN',
      'Infinity',
      'true',
      '5n',
      '9'.repeat(100_000),
    ],
  )
}
texts(
  'i8',
  {
    '5': '5n',
    '-9223372036854775808': '-9223372036854775808n',
    '9223372036854775807': '9223372036854775807n',
    '+0005': '5n',
  },
  ['', '9223372036854775808', '-9223372036854775809', '1.5', 'x', '0x1', '9'.repeat(1_000_000)],
)
texts(
  'double',
  {
    '0': 0,
    '1': 1,
    '-1.5': -1.5,
    '+1.5': 1.5,
    '.5': 0.5,
    '5.': 5,
    '1e3': 1000,
    '1E+3': 1000,
    '1e-3': 0.001,
    '1.0E300': 1e300,
    '4.9E-324': 5e-324,
    '1e-999': 0,
    ' 2.5 ': 2.5,
    '-12.21400000000000041211': -12.214,
    '00001.5': 1.5,
  },
  [
    '',
    '.',
    '-',
    'e5',
    '1e',
    '1e+',
    'nan',
    'NaN',
    'inf',
    '-inf',
    'Infinity',
    '-Infinity',
    '1e999',
    '-1e999',
    '1.5.2',
    '1,5',
    '0x1p3',
    '0x10',
    '1 5',
    '1_0.5',
    '１.５',
    '1d3',
    '9'.repeat(100_000),
  ],
)
texts('boolean', { '0': false, '1': true, ' 1 ': true, '\n0\n': false }, [
  '',
  '2',
  '-1',
  '01',
  '1.0',
  'yes',
  'no',
  'true',
  'false',
  'True',
  'TRUE',
  't',
])
texts(
  'string',
  {
    '': '',
    ' a ': ' a ',
    'a\tb\nc': 'a\tb\nc',
    'a\r\nb\rc': 'a\nb\nc',
    'a&#13;b': 'a\rb',
    '&lt;&gt;&amp;&quot;&apos;': '<>&"\'',
    '&amp;lt;': '&lt;',
    '<![CDATA[<b>&amp;</b>]]>': '<b>&amp;</b>',
    '<![CDATA[]]]]><![CDATA[>]]>': ']]>',
    '<![CDATA[]]>': '',
    'a<!-- b -->c': 'ac',
    'a<?b c?>d': 'ad',
    '<!---->': '',
    ']]': ']]',
    ']&gt;': ']>',
    '&#x1F600;': '😀',
    '&#128512;': '😀',
    '&#x0001F600;': '😀',
    '😀': '😀',
    '&#55357;&#56832;': '😀',
    '&#xD83D;&#xDE00;': '😀',
    '\u0085\u2028': '\u0085\u2028',
    '&#9;&#10;': '\t\n',
    '\ufeff': '\ufeff',
    '\u0300': '\u0300',
    '"\'>': '"\'>',
  },
  [],
)
texts(
  'dateTime.iso8601',
  {
    '19980717T14:08:55': '19980717T14:08:55',
    '1998-07-17T14:08:55': '1998-07-17T14:08:55',
    '1998-07-17T14:08:55.000Z': '1998-07-17T14:08:55.000Z',
    '19980717T140855': '19980717T140855',
    '19980717T14:08:55Z': '19980717T14:08:55Z',
    '19980717T14:08:55+02:00': '19980717T14:08:55+02:00',
    '19980717T14:08:55-0530': '19980717T14:08:55-0530',
    '20180306T06:21:20.123456': '20180306T06:21:20.123456',
    '20000229T00:00:00': '20000229T00:00:00',
    ' 19980717T14:08:55 ': '19980717T14:08:55',
    '99991231T23:59:59': '99991231T23:59:59',
    '00010101T00:00:00': '00010101T00:00:00',
  },
  [
    '',
    'now',
    '19980717',
    '14:08:55',
    '19981317T14:08:55',
    '19980017T14:08:55',
    '19980700T14:08:55',
    '19980732T14:08:55',
    '19980230T14:08:55',
    '19990229T14:08:55',
    '19000229T14:08:55',
    '19980431T14:08:55',
    '19980717T24:00:00',
    '19980717T25:08:55',
    '19980717T14:60:55',
    '19980717T14:08:60',
    '19980717 14:08:55',
    '19980717t14:08:55',
    '1998-0717T14:08:55',
    '199807-17T14:08:55',
    '19980717T14:0855',
    '19980717T14:08',
    '19980717T14:08:55.',
    '19980717T14:08:55+25:00',
    '19980717T14:08:55+02:99',
    '19980717T14:08:55ZZ',
    '98-07-17T14:08:55',
    '+19980717T14:08:55',
    '-19980717T14:08:55',
    '１9980717T14:08:55',
    '900353335',
  ],
)
texts(
  'base64',
  {
    '': '',
    AQID: 'AQID',
    'AQ==': 'AQ==',
    'AQI=': 'AQI=',
    ' AQ\r\nID ': 'AQID',
    'A Q I D': 'AQID',
    'AQ=\n=': 'AQ==',
    '/+A=': '/+A=',
    'AQ<!-- -->ID': 'AQID',
  },
  [
    'A',
    'AQ',
    'AQI',
    'AQ=',
    'AQ===',
    '=AQI',
    'AQ==ID==',
    'AQIDA',
    'AQ!D',
    'AQ-_',
    'AQI\u00e9',
    '====',
    '=',
    'AR==',
    'AQJ=',
  ],
)

// Values and types.
ok('value without type', withValue('text'), ['text'])
ok('value without type keeps its blanks', withValue(' text \n'), [' text \n'])
ok('empty value', withValue(''), [''])
ok('value of blanks only', withValue('  '), ['  '])
ok('<value/>', withParams('<param><value/></param>'), [''])
ok('<value />', withParams('<param><value /></param>'), [''])
ok('<string/>', withValue('<string/>'), [''])
ok('<base64/>', withValue('<base64/>'), [''])
ok('<nil/>', withValue('<nil/>'), [null])
ok('<nil></nil>', withValue('<nil></nil>'), [null])
ok('<nil> with a blank', withValue('<nil> </nil>'), [null])
ok('<ex:nil/>', withValue('<ex:nil/>'), [null])
ok('<ex:i1>', withValue('<ex:i1>-128</ex:i1>'), [-128])
ok('<ex:i2>', withValue('<ex:i2>32767</ex:i2>'), [32767])
ok('<ex:i8>', withValue('<ex:i8>5</ex:i8>'), ['5n'])
ok('<ex:float>', withValue('<ex:float>1.5</ex:float>'), [1.5])
ok('<ex:biginteger>', withValue('<ex:biginteger>12345678901</ex:biginteger>'), ['12345678901n'])
ok('<ex:dateTime>', withValue('<ex:dateTime>2009-06-27T11:01:02.345Z</ex:dateTime>'), ['2009-06-27T11:01:02.345Z'])
ok(
  'the extensions by another prefix',
  `<methodCall xmlns:a="http://ws.apache.org/xmlrpc/namespaces/extensions">${NAME}<params><param><value><a:i8>5</a:i8></value></param></params></methodCall>`,
  ['5n'],
)
refused('<ex:i1> out of range', withValue('<ex:i1>128</ex:i1>'), INVALID_REQUEST)
refused('<ex:i2> out of range', withValue('<ex:i2>-32769</ex:i2>'), INVALID_REQUEST)
refused('<ex:serializable>', withValue('<ex:serializable>rO0ABXNy</ex:serializable>'), INVALID_REQUEST)
refused('<ex:dom>', withValue('<ex:dom><a/></ex:dom>'), INVALID_REQUEST)
refused('<ex:bigdecimal>', withValue('<ex:bigdecimal>1.5</ex:bigdecimal>'), INVALID_REQUEST)
refused('an extension ended without its prefix', withValue('<ex:i8>5</i8>'), NOT_WELL_FORMED)
refused('an extension begun without its prefix', withValue('<i8>5</ex:i8>'), NOT_WELL_FORMED)
refused('an extension by an undeclared prefix', withValue('<b:i8>5</b:i8>'), INVALID_REQUEST)
refused('<i1> without prefix', withValue('<i1>1</i1>'), INVALID_REQUEST)
refused('<nil> with text', withValue('<nil>x</nil>'), INVALID_REQUEST)
refused('<INT>', withValue('<INT>5</INT>'), INVALID_REQUEST)
refused('<Value>', withParams('<param><Value><int>5</int></Value></param>'), INVALID_REQUEST)
refused('<integer>', withValue('<integer>5</integer>'), INVALID_REQUEST)
refused('<float>', withValue('<float>5</float>'), INVALID_REQUEST)
refused('<dateTime>', withValue('<dateTime>19980717T14:08:55</dateTime>'), INVALID_REQUEST)
refused('<long>', withValue('<long>5</long>'), INVALID_REQUEST)
refused('an unknown type', withValue('<foo>5</foo>'), INVALID_REQUEST)
refused('<int/>', withValue('<int/>'), INVALID_REQUEST)
refused('<double/>', withValue('<double/>'), INVALID_REQUEST)
refused('<boolean/>', withValue('<boolean/>'), INVALID_REQUEST)
refused('<dateTime.iso8601/>', withValue('<dateTime.iso8601/>'), INVALID_REQUEST)
refused('two types in a value', withValue('<int>1</int><int>2</int>'), INVALID_REQUEST)
refused('text before the type', withValue('x<int>1</int>'), INVALID_REQUEST)
refused('text behind the type', withValue('<int>1</int>x'), INVALID_REQUEST)
refused('a type within a type', withValue('<string><int>1</int></string>'), INVALID_REQUEST)
refused('markup within a string', withValue('<string>a <b>b</b></string>'), INVALID_REQUEST)
refused('a value within a value', withValue('<value>1</value>'), INVALID_REQUEST)
ok('blanks round the type', withValue('\n <int>1</int>\n '), [1])
ok('comments round the type', withValue('<!-- a --><int>1</int><!-- b -->'), [1])
ok('instructions round the type', withValue('<?a b?><int>1</int><?c?>'), [1])

// Arrays and structs.
ok('<data/>', withValue('<array><data/></array>'), [[]])
ok('<data> of blanks', withValue('<array><data>\n</data></array>'), [[]])
ok(
  'array of mixed types',
  withValue('<array><data><value><int>1</int></value><value>a</value><value><nil/></value></data></array>'),
  [[1, 'a', null]],
)
ok(
  'array in array',
  withValue('<array><data><value><array><data><value>a</value></data></array></value></data></array>'),
  [[['a']]],
)
ok('pretty-printed array', withValue('\n<array>\n <data>\n  <value> <int>1</int> </value>\n </data>\n</array>\n'), [
  [1],
])
refused('array without data', withValue('<array></array>'), INVALID_REQUEST)
refused('<array/>', withValue('<array/>'), INVALID_REQUEST)
refused('array with two data', withValue('<array><data/><data/></array>'), INVALID_REQUEST)
refused('array with values but no data', withValue('<array><value>1</value></array>'), INVALID_REQUEST)
refused('text in an array', withValue('<array>x<data/></array>'), INVALID_REQUEST)
refused('text in data', withValue('<array><data>x</data></array>'), INVALID_REQUEST)
refused(
  'text between values',
  withValue('<array><data><value>1</value>x<value>2</value></data></array>'),
  INVALID_REQUEST,
)
refused('CDATA between values', withValue('<array><data><![CDATA[x]]></data></array>'), INVALID_REQUEST)
refused('a type in data', withValue('<array><data><int>1</int></data></array>'), INVALID_REQUEST)
refused('text behind data', withValue('<array><data/>x</array>'), INVALID_REQUEST)
ok('<struct/>', withValue('<struct/>'), [{}])
ok('<struct></struct>', withValue('<struct></struct>'), [{}])
ok('struct of blanks', withValue('<struct>\n</struct>'), [{}])
ok('duplicate members: the last wins', withValue(`<struct>${member('a', '1')}${member('a', '2')}</struct>`), [
  { a: '2' },
])
ok('an empty member name', withValue(`<struct>${member('', '1')}</struct>`), [{ '': '1' }])
ok('<name/>', withValue('<struct><member><name/><value>1</value></member></struct>'), [{ '': '1' }])
ok('a member name with blanks', withValue(`<struct>${member(' a b ', '1')}</struct>`), [{ ' a b ': '1' }])
ok('a member name in CDATA', withValue(`<struct>${member('<![CDATA[<a>]]>', '1')}</struct>`), [{ '<a>': '1' }])
ok('a member name with a comment in it', withValue(`<struct>${member('a<!-- x -->b', '1')}</struct>`), [{ ab: '1' }])
ok('a member name with a reference', withValue(`<struct>${member('a&amp;b', '1')}</struct>`), [{ 'a&b': '1' }])
ok('members whose names are numbers', withValue(`<struct>${member('10', 'a')}${member('2', 'b')}</struct>`), [
  { '2': 'b', '10': 'a' },
])
for (const name of [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'valueOf',
  'then',
  'toJSON',
]) {
  ok(
    `member ${name}`,
    withValue(
      `<struct>${member(name, '<struct><member><name>polluted</name><value>1</value></member></struct>')}</struct>`,
    ),
  )
}
ok(
  'pretty-printed struct',
  withValue('\n<struct>\n <member>\n  <name>a</name>\n  <value><int>1</int></value>\n </member>\n</struct>\n'),
  [{ a: 1 }],
)
refused(
  'value before name',
  withValue('<struct><member><value>1</value><name>a</name></member></struct>'),
  INVALID_REQUEST,
)
refused('member without name', withValue('<struct><member><value>1</value></member></struct>'), INVALID_REQUEST)
refused('member without value', withValue('<struct><member><name>a</name></member></struct>'), INVALID_REQUEST)
refused('empty member', withValue('<struct><member></member></struct>'), INVALID_REQUEST)
refused('<member/>', withValue('<struct><member/></struct>'), INVALID_REQUEST)
refused(
  'member with two names',
  withValue('<struct><member><name>a</name><name>b</name><value>1</value></member></struct>'),
  INVALID_REQUEST,
)
refused(
  'member with two values',
  withValue('<struct><member><name>a</name><value>1</value><value>2</value></member></struct>'),
  INVALID_REQUEST,
)
refused('name outside of member', withValue('<struct><name>a</name><value>1</value></struct>'), INVALID_REQUEST)
refused('text in struct', withValue(`<struct>x${member('a', '1')}</struct>`), INVALID_REQUEST)
refused(
  'text in member',
  withValue('<struct><member>x<name>a</name><value>1</value></member></struct>'),
  INVALID_REQUEST,
)
refused(
  'text between name and value',
  withValue('<struct><member><name>a</name>x<value>1</value></member></struct>'),
  INVALID_REQUEST,
)
refused(
  'an element in a name',
  withValue('<struct><member><name><string>a</string></name><value>1</value></member></struct>'),
  INVALID_REQUEST,
)
refused('a value in a struct', withValue('<struct><value>1</value></struct>'), INVALID_REQUEST)
refused('an array in a struct without member', withValue('<struct><array><data/></array></struct>'), INVALID_REQUEST)

// The document's frame.
ok('no params', calling(NAME), [])
ok('<params/>', calling(`${NAME}<params/>`), [])
ok('<params> of blanks', calling(`${NAME}<params>\n</params>`), [])
ok('blanks round the method name', calling('<methodName>\n test.echo \n</methodName>'), [])
ok('the method name in CDATA', calling('<methodName><![CDATA[test.echo]]></methodName>'), [])
ok('a comment in the method name', calling('<methodName>test.<!-- -->echo</methodName>'), [])
ok('a reference in the method name', calling('<methodName>test&#46;echo</methodName>'), [])
ok('no declaration', `<methodCall>${NAME}</methodCall>`, [])
ok('the declaration in single quotes', `<?xml version='1.0' encoding='utf-8'?><methodCall>${NAME}</methodCall>`, [])
ok('a blank before the end of the declaration', `<?xml version="1.0" ?><methodCall>${NAME}</methodCall>`, [])
ok(
  'blanks in the declaration',
  `<?xml  version = "1.0"\n encoding = "UTF-8"\tstandalone = "yes" ?><methodCall>${NAME}</methodCall>`,
  [],
)
ok(
  'CR LF everywhere',
  `<?xml version="1.0"?>\r\n<methodCall>\r\n${NAME}\r\n<params>\r\n<param>\r\n<value><int>1</int></value>\r\n</param>\r\n</params>\r\n</methodCall>\r\n`,
  [1],
)
ok(
  'comments and instructions round the root',
  `${HEAD}<!-- a --><?b c?>\n<methodCall>${NAME}</methodCall>\n<!-- d --><?e?>\n`,
  [],
)
ok(
  'comments between elements',
  `<methodCall><!-- a -->${NAME}<!-- b --><params><!-- c --><param><!-- d --><value><int>1</int></value><!-- e --></param></params></methodCall>`,
  [1],
)
ok(
  'attributes everywhere',
  `<methodCall a="1" b='2'><methodName c="&lt;">test.echo</methodName><params d=""><param><value e="&#65;"><int f=">">1</int></value></param></params></methodCall>`,
  [1],
)
ok('a default namespace', `<methodCall xmlns="http://example.org/">${NAME}</methodCall>`, [])
ok(
  'blanks in end tags',
  `<methodCall ><methodName >test.echo</methodName ><params ><param ><value ><int >1</int\n></value\t></param ></params ></methodCall >`,
  [1],
)
ok('a thousand parameters', withParams('<param><value><int>1</int></value></param>'.repeat(1000)))
refused('nothing', '', NOT_WELL_FORMED)
refused('blanks only', ' \n', NOT_WELL_FORMED)
refused('a declaration only', HEAD, NOT_WELL_FORMED)
refused('a comment only', '<!-- -->', NOT_WELL_FORMED)
refused('text', 'Hello', NOT_WELL_FORMED)
refused('JSON', '{"methodCall":{"methodName":"test.echo","params":[]}}', NOT_WELL_FORMED)
refused('a form', 'methodName=test.echo&a=1', NOT_WELL_FORMED)
refused('HTML', '<!DOCTYPE html><html><body>hi</body></html>', INVALID_REQUEST)
refused('HTML without doctype', '<html><body>hi</body></html>', INVALID_REQUEST)
refused(
  'SOAP',
  '<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"><soap:Body/></soap:Envelope>',
  INVALID_REQUEST,
)
refused(
  'a response',
  '<methodResponse><params><param><value>1</value></param></params></methodResponse>',
  INVALID_REQUEST,
)
refused('a fault', '<methodResponse><fault><value><struct/></value></fault></methodResponse>', INVALID_REQUEST)
refused('<methodCall/>', '<methodCall/>', INVALID_REQUEST)
refused('an empty methodCall', calling(''), INVALID_REQUEST)
refused('no method name', calling('<params/>'), INVALID_REQUEST)
refused('an empty method name', calling('<methodName></methodName>'), INVALID_REQUEST)
refused('<methodName/>', calling('<methodName/>'), INVALID_REQUEST)
refused('a method name of blanks', calling('<methodName> </methodName>'), INVALID_REQUEST)
refused('a method name with a blank', calling('<methodName>test echo</methodName>'), INVALID_REQUEST)
refused('a method name with a line end', calling('<methodName>test\necho</methodName>'), INVALID_REQUEST)
refused(
  'an element in the method name',
  calling('<methodName><string>test.echo</string></methodName>'),
  INVALID_REQUEST,
)
refused('two method names', calling(`${NAME}${NAME}`), INVALID_REQUEST)
refused('params before the method name', calling(`<params/>${NAME}`), INVALID_REQUEST)
refused('two params', calling(`${NAME}<params/><params/>`), INVALID_REQUEST)
refused('text in methodCall', calling(`x${NAME}`), INVALID_REQUEST)
refused('text behind the method name', calling(`${NAME}x`), INVALID_REQUEST)
refused('text in params', withParams('x'), INVALID_REQUEST)
refused('text in param', withParams('<param>x<value>1</value></param>'), INVALID_REQUEST)
refused('text behind the value', withParams('<param><value>1</value>x</param>'), INVALID_REQUEST)
refused('text behind params', calling(`${NAME}<params/>x`), INVALID_REQUEST)
refused('an empty param', withParams('<param></param>'), INVALID_REQUEST)
refused('<param/>', withParams('<param/>'), INVALID_REQUEST)
refused('param with two values', withParams('<param><value>1</value><value>2</value></param>'), INVALID_REQUEST)
refused('value without param', withParams('<value>1</value>'), INVALID_REQUEST)
refused('param without params', calling(`${NAME}<param><value>1</value></param>`), INVALID_REQUEST)
refused('a type in param', withParams('<param><int>1</int></param>'), INVALID_REQUEST)
refused('a fault in a call', calling(`${NAME}<fault/>`), INVALID_REQUEST)
refused('a methodCall in a methodCall', calling(calling(NAME).slice(HEAD.length)), INVALID_REQUEST)
refused('<METHODCALL>', `<METHODCALL>${NAME}</METHODCALL>`, INVALID_REQUEST)

// Well-formedness.
refused('two roots', `${calling(NAME)}<methodCall/>`, NOT_WELL_FORMED)
refused('two unknown roots', '<a/><b/>', NOT_WELL_FORMED)
refused('an unknown root, never ended', '<a>', NOT_WELL_FORMED)
refused('an unknown root with another end tag', '<a></b>', NOT_WELL_FORMED)
refused('unknown elements that overlap', '<a><b></a></b>', NOT_WELL_FORMED)
refused('an unknown element, never ended', calling('<b>'), NOT_WELL_FORMED)
refused('an unknown root and an unfinished comment', '<a/><!-- ', NOT_WELL_FORMED)
refused('an unknown root and an unfinished attribute', '<a b="></a>', NOT_WELL_FORMED)
refused('an unknown root', '<a b=">" c=\'"\'><!-- < --><![CDATA[<c>]]><?d <?><e/></a >\n', INVALID_REQUEST)
refused('text behind the root', `${calling(NAME)}x`, NOT_WELL_FORMED)
refused('a reference behind the root', `${calling(NAME)}&amp;`, NOT_WELL_FORMED)
refused('NUL behind the root', `${calling(NAME)}\0`, NOT_WELL_FORMED)
refused('CDATA behind the root', `${calling(NAME)}<![CDATA[]]>`, NOT_WELL_FORMED)
refused('an end tag behind the root', `${calling(NAME)}</methodCall>`, NOT_WELL_FORMED)
refused('text before the root', `x${calling(NAME)}`, NOT_WELL_FORMED)
refused('text between declaration and root', `${HEAD}x<methodCall>${NAME}</methodCall>`, NOT_WELL_FORMED)
refused('a blank before the declaration', ` ${calling(NAME)}`, NOT_WELL_FORMED)
refused('a line before the declaration', `\n${calling(NAME)}`, NOT_WELL_FORMED)
refused('two declarations', `${HEAD}${calling(NAME)}`, NOT_WELL_FORMED)
refused('a declaration within', calling(`${HEAD}${NAME}`), NOT_WELL_FORMED)
refused('the declaration in capitals', `<?XML version="1.0"?><methodCall>${NAME}</methodCall>`, NOT_WELL_FORMED)
refused('a declaration without version', `<?xml encoding="UTF-8"?><methodCall>${NAME}</methodCall>`, NOT_WELL_FORMED)
refused(
  'a declaration in the wrong order',
  `<?xml encoding="UTF-8" version="1.0"?><methodCall>${NAME}</methodCall>`,
  NOT_WELL_FORMED,
)
refused('version 2.0', `<?xml version="2.0"?><methodCall>${NAME}</methodCall>`, NOT_WELL_FORMED)
refused(
  'standalone="maybe"',
  `<?xml version="1.0" standalone="maybe"?><methodCall>${NAME}</methodCall>`,
  NOT_WELL_FORMED,
)
refused('an endless declaration', '<?xml version="1.0"', NOT_WELL_FORMED)
refused('an unclosed root', `<methodCall>${NAME}`, NOT_WELL_FORMED)
refused('cut in an end tag', `<methodCall>${NAME}</methodCal`, NOT_WELL_FORMED)
refused('cut in a start tag', '<methodCall><methodNa', NOT_WELL_FORMED)
refused('cut in text', '<methodCall><methodName>test.ec', NOT_WELL_FORMED)
refused('cut before a value', withParams('<param>').slice(0, -22), NOT_WELL_FORMED)
refused('crossed tags', withValue('<int>1</value></int>'), NOT_WELL_FORMED)
refused('crossed frame', `<methodCall><methodName>test.echo</methodCall></methodName>`, NOT_WELL_FORMED)
refused('an end tag of another element', withValue('<int>1</string>'), NOT_WELL_FORMED)
refused('an end tag in other case', withValue('<int>1</INT>'), NOT_WELL_FORMED)
refused('an end tag of no element', withValue('1</foo>'), NOT_WELL_FORMED)
refused('an end tag with an attribute', withValue('<int>1</int a="b">'), NOT_WELL_FORMED)
refused('an end tag with a blank before its name', withValue('<int>1</ int>'), NOT_WELL_FORMED)
refused('an end tag without name', withValue('<int>1</>'), NOT_WELL_FORMED)
refused('a start tag without name', withValue('<>1</>'), NOT_WELL_FORMED)
refused('a start tag with a blank before its name', withValue('< int>1</int>'), NOT_WELL_FORMED)
refused('a name that begins with a digit', withValue('<1nt>1</1nt>'), NOT_WELL_FORMED)
refused('a lone <', withValue('<string>a < b</string>'), NOT_WELL_FORMED)
refused('a lone &', withValue('<string>a & b</string>'), NOT_WELL_FORMED)
refused(']]> in text', withValue('<string>a ]]> b</string>'), NOT_WELL_FORMED)
refused(']]]> in text', withValue('<string>]]]></string>'), NOT_WELL_FORMED)
refused('an attribute without quotes', withValue('<int a=1>1</int>'), NOT_WELL_FORMED)
refused('an attribute without value', withValue('<int a>1</int>'), NOT_WELL_FORMED)
refused('an attribute without name', withValue('<int ="a">1</int>'), NOT_WELL_FORMED)
refused('an attribute twice', withValue('<int a="1" a="2">1</int>'), NOT_WELL_FORMED)
refused('attributes without a blank between', withValue('<int a="1"b="2">1</int>'), NOT_WELL_FORMED)
refused('an attribute with <', withValue('<int a="<">1</int>'), NOT_WELL_FORMED)
refused('an attribute with a lone &', withValue('<int a="&">1</int>'), NOT_WELL_FORMED)
refused('an attribute with an unknown entity', withValue('<int a="&b;">1</int>'), NOT_WELL_FORMED)
refused('an attribute with a control character', withValue('<int a="\u0001">1</int>'), NOT_WELL_FORMED)
refused('an attribute with no end', withValue('<int a="1>1</int>'), NOT_WELL_FORMED)
refused('a slash within a start tag', withValue('<int / >1</int>'), NOT_WELL_FORMED)
refused('a comment with --', calling(`<!-- a -- b -->${NAME}`), NOT_WELL_FORMED)
refused('a comment that ends in --->', calling(`<!-- a --->${NAME}`), NOT_WELL_FORMED)
refused('an endless comment', calling(`<!-- a ${NAME}`), NOT_WELL_FORMED)
refused('a comment in a tag', withValue('<int <!-- a -->>1</int>'), NOT_WELL_FORMED)
refused('an endless CDATA section', withValue('<string><![CDATA[a</string>'), NOT_WELL_FORMED)
refused('cdata in lower case', withValue('<string><![cdata[a]]></string>'), NOT_WELL_FORMED)
refused('an endless instruction', calling(`<?a b ${NAME}`), NOT_WELL_FORMED)
refused('an instruction without name', calling(`<? a?>${NAME}`), NOT_WELL_FORMED)
refused('<!', calling('<!'), NOT_WELL_FORMED)
refused('<?', calling('<?'), NOT_WELL_FORMED)
refused('<', '<', NOT_WELL_FORMED)
refused('</', '</', NOT_WELL_FORMED)
for (const reference of [
  '&nbsp;',
  '&foo;',
  '&LT;',
  '&lt',
  '&;',
  '& lt;',
  '&#;',
  '&#x;',
  '&#xG;',
  '&#12a;',
  '&#X41;',
  '&#-5;',
  '&#0;',
  '&#x0;',
  '&#1;',
  '&#x1F;',
  '&#xFFFE;',
  '&#xFFFF;',
  '&#xD800;',
  '&#xDC00;',
  '&#xDE00;&#xD83D;',
  '&#xD83D;x',
  '&#xD83D;&#x41;',
  '&#x110000;',
  '&#99999999999999999999;',
  '&#65',
  '&__proto__;',
  '&constructor;',
]) {
  refused(`reference ${reference}`, withValue(`<string>${reference}</string>`), NOT_WELL_FORMED)
}
for (const code of [0, 1, 8, 0x0b, 0x0c, 0x0e, 0x1b, 0x1f, 0xfffe, 0xffff]) {
  const shown = `U+${code.toString(16).padStart(4, '0')}`
  refused(`${shown} in a string`, withValue(`<string>a${String.fromCharCode(code)}</string>`), NOT_WELL_FORMED)
  refused(`${shown} in CDATA`, withValue(`<string><![CDATA[${String.fromCharCode(code)}]]></string>`), NOT_WELL_FORMED)
}
refused('a control character in a comment', calling(`<!-- \u0001 -->${NAME}`), NOT_WELL_FORMED)
refused('a control character in an instruction', calling(`<?a \u0001?>${NAME}`), NOT_WELL_FORMED)
refused('a control character between tags', calling(`\u0001${NAME}`), NOT_WELL_FORMED)
refused('a control character in a name', withValue(`<struct>${member('a\u0001', '1')}</struct>`), NOT_WELL_FORMED)
refused('a no-break space between tags', calling(`\u00a0${NAME}`), INVALID_REQUEST)

// Document types and entities.
refused('a doctype', `<!DOCTYPE methodCall><methodCall>${NAME}</methodCall>`, INVALID_REQUEST)
refused(
  'a doctype with a system identifier',
  `<!DOCTYPE methodCall SYSTEM "http://127.0.0.1:9/x.dtd"><methodCall>${NAME}</methodCall>`,
  INVALID_REQUEST,
)
refused(
  'an internal entity',
  `<!DOCTYPE a [<!ENTITY a "x">]><methodCall>${NAME}<params><param><value>&a;</value></param></params></methodCall>`,
  INVALID_REQUEST,
)
refused(
  'an external entity: a file',
  `<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><methodCall>${NAME}<params><param><value>&a;</value></param></params></methodCall>`,
  INVALID_REQUEST,
)
refused(
  'an external entity: a URL',
  `<!DOCTYPE a [<!ENTITY a SYSTEM "http://127.0.0.1:9/">]><methodCall>${NAME}<params><param><value>&a;</value></param></params></methodCall>`,
  INVALID_REQUEST,
)
refused(
  'a parameter entity',
  `<!DOCTYPE a [<!ENTITY % a SYSTEM "http://127.0.0.1:9/"> %a;]><methodCall>${NAME}</methodCall>`,
  INVALID_REQUEST,
)
refused(
  'a billion laughs',
  `<!DOCTYPE l [<!ENTITY l0 "lol">${Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')}]><methodCall>${NAME}<params><param><value>&l9;</value></param></params></methodCall>`,
  INVALID_REQUEST,
)
refused(
  'quadratic blowup',
  `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(100_000)}">]><methodCall>${NAME}<params><param><value>${'&a;'.repeat(10_000)}</value></param></params></methodCall>`,
  INVALID_REQUEST,
)
refused('a doctype within', calling(`<!DOCTYPE a>${NAME}`), INVALID_REQUEST)
refused('a doctype in lower case', `<!doctype methodCall><methodCall>${NAME}</methodCall>`, NOT_WELL_FORMED)
refused('an entity declaration without doctype', calling(`<!ENTITY a "b">${NAME}`), NOT_WELL_FORMED)

// Encodings.
const umlauts = (declaration: string) =>
  `${declaration}<methodCall>${NAME}<params><param><value>\u00e4\u00f6</value></param></params></methodCall>`
ok('UTF-8 with a mark', utf8(`\ufeff${umlauts('')}`), ['äö'])
ok('UTF-8 with a mark and a declaration', utf8(`\ufeff${umlauts('<?xml version="1.0" encoding="utf-8"?>')}`), ['äö'])
ok('UTF-8 by charset', utf8(umlauts('')), ['äö'], 'text/xml; charset=utf-8')
ok('ISO-8859-1 declared', bytes(umlauts('<?xml version="1.0" encoding="ISO-8859-1"?>')), ['äö'])
ok('iso-8859-1 in single quotes', bytes(umlauts("<?xml version='1.0' encoding='iso-8859-1'?>")), ['äö'])
ok('ISO-8859-1 by charset', bytes(umlauts('')), ['äö'], 'text/xml; charset=ISO-8859-1')
ok('charset in quotes', bytes(umlauts('')), ['äö'], 'text/xml; charset="iso-8859-1"')
ok(
  'charset before declaration',
  bytes(umlauts('<?xml version="1.0" encoding="UTF-8"?>')),
  ['äö'],
  'text/xml; charset=iso-8859-1',
)
ok('mark before charset', utf8(`\ufeff${umlauts('')}`), ['äö'], 'text/xml; charset=iso-8859-1')
ok('ISO-8859-15 declared', bytes(umlauts('<?xml version="1.0" encoding="ISO-8859-15"?>').replace('\u00e4', '\u00a4')), [
  '€ö',
])
ok('US-ASCII declared', bytes(`<?xml version="1.0" encoding="US-ASCII"?><methodCall>${NAME}</methodCall>`), [])
ok('KOI8-R declared', bytes(umlauts('<?xml version="1.0" encoding="KOI8-R"?>')), ['ДЖ'])
ok(
  'Shift_JIS declared',
  bytes(umlauts('<?xml version="1.0" encoding="Shift_JIS"?>').replace('\u00e4\u00f6', '\u0083\u0041')),
  ['ア'],
)
ok('UTF-16, little-endian, with a mark', utf16(umlauts('<?xml version="1.0" encoding="UTF-16"?>'), false, true), ['äö'])
ok('UTF-16, big-endian, with a mark', utf16(umlauts('<?xml version="1.0" encoding="UTF-16"?>'), true, true), ['äö'])
ok('UTF-16, with a mark, nothing declared', utf16(umlauts(''), false, true), ['äö'])
ok('UTF-16LE without a mark', utf16(umlauts('<?xml version="1.0" encoding="UTF-16LE"?>'), false, false), ['äö'])
ok('UTF-16BE by charset', utf16(umlauts(''), true, false), ['äö'], 'text/xml; charset=utf-16be')
refused('an unknown encoding', bytes(umlauts('<?xml version="1.0" encoding="x-klingon"?>')), UNSUPPORTED_ENCODING)
refused('an unknown charset', bytes(umlauts('')), UNSUPPORTED_ENCODING, 'text/xml; charset=x-klingon')
refused('UTF-7 declared', bytes(umlauts('<?xml version="1.0" encoding="UTF-7"?>')), UNSUPPORTED_ENCODING)
refused('UTF-16 declared, UTF-8 sent', utf8(umlauts('<?xml version="1.0" encoding="UTF-16"?>')), UNSUPPORTED_ENCODING)
refused('UTF-32 declared, UTF-8 sent', utf8(umlauts('<?xml version="1.0" encoding="UTF-32"?>')), UNSUPPORTED_ENCODING)
refused('Latin-1 sent, nothing declared', bytes(umlauts('')), INVALID_CHARACTER)
refused('Latin-1 sent, UTF-8 declared', bytes(umlauts('<?xml version="1.0" encoding="UTF-8"?>')), INVALID_CHARACTER)
for (const [name, text] of [
  ['an overlong slash', '\u00c0\u00af'],
  ['an overlong NUL', '\u00c0\u0080'],
  ['a surrogate in UTF-8', '\u00ed\u00a0\u00bd'],
  ['a pair of surrogates in UTF-8', '\u00ed\u00a0\u00bd\u00ed\u00b8\u0080'],
  ['a lone continuation byte', '\u0080'],
  ['0xFF', '\u00ff'],
  ['beyond U+10FFFF', '\u00f4\u0090\u0080\u0080'],
  ['five bytes', '\u00f8\u0088\u0080\u0080\u0080'],
  ['a cut character', '\u00e2\u0082'],
] as const) {
  refused(name, bytes(withValue(text)), INVALID_CHARACTER)
}
refused('a document cut within a character', bytes('<methodCall>\u00e2\u0082'), INVALID_CHARACTER)
refused('UTF-16 of an odd length', utf16(umlauts(''), false, true).slice(0, -1), INVALID_CHARACTER)
refused('UTF-16 with half a pair', utf16(withValue('\ud83d').replace(HEAD, ''), false, true), INVALID_CHARACTER)
refused('UTF-32 with a mark', Uint8Array.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x3c]), INVALID_CHARACTER)
refused('EBCDIC', Uint8Array.from([0x4c, 0x6f, 0xa7, 0x94, 0x93]), INVALID_CHARACTER)
refused('gzip', Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), INVALID_CHARACTER)
refused('two marks', utf8(`\ufeff\ufeff<methodCall>${NAME}</methodCall>`), NOT_WELL_FORMED)

// Size, depth, time.
const nest = (depth: number, inner: string) =>
  '<array><data><value>'.repeat(depth) + inner + '</value></data></array>'.repeat(depth)
ok('64 arrays in one another', withValue(nest(64, 'x')))
refused('65 arrays in one another', withValue(nest(65, 'x')), INVALID_REQUEST)
refused('90,000 arrays in one another', withValue(nest(90_000, 'x')), INVALID_REQUEST)
refused('90,000 arrays, never ended', withValue('<array><data><value>'.repeat(90_000)), INVALID_REQUEST)
refused(
  '90,000 structs in one another',
  withValue('<struct><member><name>a</name><value>'.repeat(60_000)),
  INVALID_REQUEST,
)
refused('a million <', '<'.repeat(1_000_000), NOT_WELL_FORMED)
refused('a million < in a string', withValue(`<string>${'<'.repeat(1_000_000)}`), NOT_WELL_FORMED)
refused('a million &', withValue(`<string>${'&'.repeat(1_000_000)}`), NOT_WELL_FORMED)
refused('a million &# in a string', withValue(`<string>${'&#'.repeat(1_000_000)}`), NOT_WELL_FORMED)
ok('a million ]', withValue(`<string>${']'.repeat(1_000_000)}</string>`))
refused('a million ] and >', withValue(`<string>${']'.repeat(1_000_000)}></string>`), NOT_WELL_FORMED)
ok('300,000 references', withValue(`<string>${'&lt;'.repeat(300_000)}</string>`))
ok('a reference with a million zeros', withValue(`<string>&#${'0'.repeat(1_000_000)}65;</string>`), ['A'])
ok('100,000 CDATA sections', withValue(`<string>${'<![CDATA[a]]>'.repeat(100_000)}</string>`))
ok('100,000 comments', calling(`${'<!-- -->'.repeat(100_000)}${NAME}`), [])
ok('100,000 instructions', calling(`${'<?a b?>'.repeat(100_000)}${NAME}`), [])
refused('a million beginnings of comments', calling(`${'<!--'.repeat(500_000)}`), NOT_WELL_FORMED)
refused('a million beginnings of CDATA', withValue(`<string>${'<![CDATA['.repeat(200_000)}`), NOT_WELL_FORMED)
refused('a million beginnings of instructions', calling('<?a '.repeat(300_000)), NOT_WELL_FORMED)
ok('a million blanks between tags', calling(`${' '.repeat(1_000_000)}${NAME}`), [])
ok('a million blanks in a value', withValue(`${' '.repeat(1_000_000)}<int>1</int>`), [1])
ok('a million blanks in a tag', withValue(`<int${' '.repeat(1_000_000)}>1</int>`), [1])
refused('a million blanks in an int', withValue(`<int>${' '.repeat(1_000_000)}x</int>`), INVALID_REQUEST)
refused('blanks round a blank in a double', withValue(`<double>1${' '.repeat(500_000)}2</double>`), INVALID_REQUEST)
refused(
  '100,000 attributes',
  withValue(`<int ${Array.from({ length: 100_000 }, (_, i) => `a${i}="b"`).join(' ')}>1</int>`),
  INVALID_REQUEST,
)
refused('a tag name of a million letters', withValue(`<${'a'.repeat(1_000_000)}>`), NOT_WELL_FORMED)
refused('an attribute name of a million letters', withValue(`<int ${'a'.repeat(1_000_000)}>`), NOT_WELL_FORMED)
refused(
  'a million digits and an exponent too large',
  withValue(`<double>${'1'.repeat(1_000_000)}e9</double>`),
  INVALID_REQUEST,
)
ok('a million digits behind the point', withValue(`<double>0.${'1'.repeat(1_000_000)}</double>`), [0.1111111111111111])
refused(
  'a year of a million digits',
  withValue(`<dateTime.iso8601>${'1'.repeat(1_000_000)}</dateTime.iso8601>`),
  INVALID_REQUEST,
)
refused('a million = in base64', withValue(`<base64>${'='.repeat(1_000_000)}</base64>`), INVALID_REQUEST)
ok('a million blanks in base64', withValue(`<base64>${' \n'.repeat(500_000)}</base64>`), [''])
ok('20,000 members of one name', withValue(`<struct>${member('a', '1').repeat(20_000)}</struct>`), [{ a: '1' }])
ok(
  '20,000 members',
  withValue(`<struct>${Array.from({ length: 20_000 }, (_, i) => member(`m${i}`, '')).join('')}</struct>`),
)
ok('200,000 empty values', withValue(`<array><data>${'<value/>'.repeat(200_000)}</data></array>`))
ok('a member name of 100,000 letters', withValue(`<struct>${member('n'.repeat(100_000), '')}</struct>`))
refused(
  'a method name of a million blanks',
  calling(`<methodName>a${' '.repeat(1_000_000)}b</methodName>`),
  INVALID_REQUEST,
)

for (const type of ['int', 'i8', 'double', 'boolean', 'dateTime.iso8601', 'base64']) {
  refused(
    `<${type}> of a million digits and a letter`,
    withValue(`<${type}>${'1'.repeat(1_000_000)}ä</${type}>`),
    INVALID_REQUEST,
  )
  refused(
    `<${type}> of blanks round blanks`,
    withValue(`<${type}> 1${' '.repeat(1_000_000)}ä </${type}>`),
    INVALID_REQUEST,
  )
  refused(`<${type}> of a million signs`, withValue(`<${type}>${'-'.repeat(1_000_000)}</${type}>`), INVALID_REQUEST)
  refused(`<${type}> of a million points`, withValue(`<${type}>1${'.'.repeat(1_000_000)}</${type}>`), INVALID_REQUEST)
}
refused(
  'a million blanks in the declaration',
  `<?xml version="1.0"${' '.repeat(1_000_000)}encoding${' '.repeat(1_000_000)}x?>`,
  NOT_WELL_FORMED,
)
refused('a million times encoding in the declaration', `<?xml ${' encoding '.repeat(300_000)}`, NOT_WELL_FORMED)
refused('a million blanks round text between tags', calling(` x${' '.repeat(1_000_000)}x `), INVALID_REQUEST)
refused(
  'a million blanks round text in a value',
  withValue(` x${' '.repeat(1_000_000)}x <int>1</int>`),
  INVALID_REQUEST,
)

// Media types that clients send, and none.
ok('application/xml', calling(NAME), [], 'application/xml')
ok('no content type', calling(NAME), [], '')

/** See `HostileCall`. The names are unique. */
export const hostileCalls: readonly HostileCall[] = table
