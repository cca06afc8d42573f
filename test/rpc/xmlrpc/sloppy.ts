import { Binary, DateTime, Fault } from 'propylon/xmlrpc'

/** A response that deviates from the specifications, and how it is read with `lenient`. */
export interface Sloppy {
  readonly name: string
  readonly document: string | Uint8Array
  /** Parameter of the Content-Type. */
  readonly charset?: string
  /** The value, a Fault, or the message of the error of a document that is refused with `lenient` too. */
  readonly expected: unknown
  /** The reason why Python reads another value. Python may refuse any of the documents. */
  readonly unlikePython?: string
  /** Whether the document is read without `lenient` too. */
  readonly isStrict?: boolean
}

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
/** UTF-16, little-endian, without a byte order mark. */
const utf16 = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length * 2 }, (_, i) => (i % 2 === 0 ? text.charCodeAt(i / 2) : 0))

const DECLARATION = '<?xml version="1.0"?>'
/** A response without a declaration. */
export const responseOf = (markup: string): string =>
  `<methodResponse><params><param><value>${markup}</value></param></params></methodResponse>`
const faultOf = (markup: string): string =>
  `${DECLARATION}<methodResponse><fault><value>${markup}</value></fault></methodResponse>`
const member = (name: string, markup: string): string =>
  `<member><name>${name}</name><value>${markup}</value></member>`
const faultStruct = (code: string, text: string): string =>
  faultOf(`<struct>${member('faultCode', code)}${member('faultString', text)}</struct>`)

/** Rows of a type: the markup of a value, and what is read. */
function values(
  rows: readonly (readonly [markup: string, expected: unknown, unlikePython?: string])[],
): Sloppy[] {
  return rows.map(([markup, expected, unlikePython]) => ({
    name: markup,
    document: DECLARATION + responseOf(markup),
    expected,
    ...(unlikePython !== undefined && { unlikePython }),
  }))
}

const NOTICE = '<br />\n<b>Notice</b>:  Undefined index: x in <b>/srv/a.php</b> on line <b>3</b><br />\n'
const GREETING = '<string>grüße</string>'

export const SLOPPY: Readonly<Record<string, readonly Sloppy[]>> = {
  integers: values([
    ['<i4>4294967295</i4>', 4294967295],
    ['<int>2147483648</int>', 2147483648],
    ['<int>-2147483649</int>', -2147483649],
    ['<int>+2147483648</int>', 2147483648],
    ['<int> 2147483648 </int>', 2147483648],
    ['<i4>9007199254740991</i4>', 9007199254740991],
    ['<i4>9007199254740992</i4>', 9007199254740992n],
    ['<i4>-9223372036854775809</i4>', -9223372036854775809n],
    ['<i8>9223372036854775808</i8>', 9223372036854775808n],
    ['<i8>5</i8>', 5n],
    [`<i8>${'9'.repeat(4300)}</i8>`, BigInt('9'.repeat(4300))],
    [`<i8>+000${'9'.repeat(4300)}</i8>`, BigInt('9'.repeat(4300))],
    ['<i2>5</i2>', 5],
    ['<i2>70000</i2>', 70000],
    ['<i1>-5</i1>', -5],
    ['<ex:i1>500</ex:i1>', 500],
    ['<biginteger>18446744073709551616</biginteger>', 18446744073709551616n],
    ['<biginteger>7</biginteger>', 7n],
    ['<ex:biginteger>-18446744073709551616</ex:biginteger>', -18446744073709551616n],
    ['<ns1:int>5</ns1:int>', 5],
    ['<int>1.0</int>', 1],
    ['<i8>5000000000.00</i8>', 5000000000n],
    ['<int>\u00a05</int>', 5],
    ['<Int>5</Int>', 5],
    ['<int>1.5</int>', /"1\.5" is not an int/],
    ['<int>1e3</int>', /is not an int/],
    ['<int>1,000</int>', /is not an int/],
    ['<int>0x10</int>', /is not an int/],
    ['<int>5</i4>', /./],
    ['<int>12abc</int>', /is not an int/],
    ['<int/>', /is not an int/],
    [`<int>${'9'.repeat(5000)}</int>`, /is not an int/],
  ]),

  numbers: values([
    ['<double>INF</double>', Number.POSITIVE_INFINITY],
    ['<double>-inf</double>', Number.NEGATIVE_INFINITY],
    ['<double>+Infinity</double>', Number.POSITIVE_INFINITY],
    ['<double>NaN</double>', Number.NaN],
    ['<double>nan</double>', Number.NaN],
    ['<float>1.5</float>', 1.5],
    ['<ex:float>1.5</ex:float>', 1.5],
    ['<bigdecimal>0.1</bigdecimal>', 0.1, 'Decimal'],
    ['<ex:bigdecimal>-12.50</ex:bigdecimal>', -12.5, 'Decimal'],
    ['<bigdecimal>0.12345678901234567890</bigdecimal>', '0.12345678901234567890', 'Decimal'],
    ['<bigdecimal>1E-400</bigdecimal>', '1E-400', 'Decimal'],
    ['<bigdecimal>1E400</bigdecimal>', '1E400', 'Decimal'],
    ['<bigdecimal>0.000</bigdecimal>', 0, 'Decimal'],
    ['<bigdecimal>many</bigdecimal>', /is not a number/],
    ['<double>1e400</double>', Number.POSITIVE_INFINITY],
    ['<double>-1.79769e+309</double>', Number.NEGATIVE_INFINITY],
    ['<double>1.#INF</double>', Number.POSITIVE_INFINITY],
    ['<double>-1.#IND</double>', Number.NaN],
    ['<double>1.#QNAN00</double>', Number.NaN],
    ['<double>-nan(0x8000)</double>', Number.NaN],
    ['<double>1,5</double>', /is not a double/],
    ['<double>1.234.567</double>', /is not a double/],
    ['<double>1.#5</double>', /is not a double/],
    ['<double/>', /is not a double/],
    ['<double>infinite</double>', /is not a double/],
  ]),

  booleans: values([
    ['<boolean>true</boolean>', true],
    ['<boolean>false</boolean>', false],
    ['<boolean>True</boolean>', true],
    ['<boolean>FALSE</boolean>', false],
    ['<boolean> 1 </boolean>', true],
    ['<boolean>2</boolean>', /is not a boolean/],
    ['<boolean>yes</boolean>', /is not a boolean/],
    ['<boolean/>', /is not a boolean/],
  ]),

  dates: values(
    [
      '00000000T00:00:00Z',
      '00000000T00:00:00',
      '0000-00-00T00:00:00',
      '-0001-11-30T00:00:00',
      'T::',
      '',
      '20260131',
      '2026-01-31',
      '2026-01-31 12:00:00',
      '20260131T12:00',
      '20260131T12:00:60',
      '20260131T25:00:00',
      '20260231T12:00:00',
      'yesterday',
      '1769860800',
      '20260131T12:00:00 CET',
    ].map((text) => [`<dateTime.iso8601>${text}</dateTime.iso8601>`, text] as const),
  ).concat(
    values([
      ['<dateTime.iso8601> 20260131T12:00:00\n</dateTime.iso8601>', new DateTime('20260131T12:00:00')],
      ['<dateTime.iso8601>\n 00000000T00:00:00 </dateTime.iso8601>', '00000000T00:00:00'],
      ['<dateTime.iso8601/>', ''],
      ['<dateTime>2026-01-31T12:00:00.000Z</dateTime>', new DateTime('2026-01-31T12:00:00.000Z')],
      [
        '<ex:dateTime>2026-01-31T12:00:00.000+01:00</ex:dateTime>',
        new DateTime('2026-01-31T12:00:00.000+01:00'),
      ],
    ]),
  ),

  bytes: values([
    ['<base64>AQI</base64>', new Binary(new Uint8Array([1, 2]))],
    ['<base64>AQ</base64>', new Binary(new Uint8Array([1]))],
    ['<base64>AR==</base64>', new Binary(new Uint8Array([1]))],
    ['<base64>AQ\n I D\n</base64>', new Binary(new Uint8Array([1, 2, 3]))],
    ['<base64>AQID===</base64>', new Binary(new Uint8Array([1, 2, 3]))],
    ['<base64> A Q \n</base64>', new Binary(new Uint8Array([1]))],
    ['<base64/>', new Binary(new Uint8Array())],
    ['<base64>AQ*ID\u00a0</base64>', new Binary(new Uint8Array([1, 2, 3]))],
    ['<base64>-_8=</base64>', new Binary(new Uint8Array([251, 255]))],
    ['<base64>AQ_-</base64>', new Binary(new Uint8Array([1, 15, 254]))],
    ['<base64>AQ*I</base64>', /is not base64/],
    ['<base64>!!!</base64>', /is not base64/, 'reads nothing'],
    ['<base64>AQ==AQ==</base64>', /is not base64/, 'drops the second part'],
    ['<base64>A</base64>', /is not base64/],
    ['<base64>AQ=ID</base64>', /is not base64/, 'skips the sign'],
    ['<base64>not base64!</base64>', /is not base64/],
  ]),

  texts: values([
    ['<string>\x1b[31mred\x1b[0m</string>', '\x1b[31mred\x1b[0m'],
    ['<string>a\0b</string>', 'a\0b'],
    ['\x07', '\x07'],
    ['<string>&#27;[0m</string>', '\x1b[0m'],
    ['<string>&#x1B;&#0;</string>', '\x1b\0'],
    ['<string><![CDATA[\x08]]></string>', '\x08'],
    ['<string>\ufffe\uffff</string>', '\ufffe\uffff'],
    ['<string>\x0b&amp;\x0c</string>', '\x0b&\x0c'],
    [`<struct>${member('a\x01', '<int>1</int>')}</struct>`, { 'a\x01': 1 }],
    ['<string>&#xD800;</string>', /does not allow the character/],
    ['<string>&#x110000;</string>', /does not allow the character/],
    ['<string>&nbsp;&eacute;&copy;&hellip;&frac12;</string>', '\u00a0é©…½'],
    ['<string>&bogus;</string>', /neither a character reference nor a predefined entity/],
    ['<string>&constructor;</string>', /neither a character reference nor a predefined entity/],
    ['<string>a & b &c=d &; &#; &#x; &1;</string>', 'a & b &c=d &; &#; &#x; &1;'],
    ['Fish &', 'Fish &'],
    [`&#${'0'.repeat(50)}65;`, 'A'],
    ['a&<![CDATA[amp;]]>', 'a&amp;'],
    ['<string>a]]>b</string>', 'a]]>b'],
    ['<string>a < b <= c <1</string>', 'a < b <= c <1'],
    ['<string>a<b</string>', /./],
    ['<string><!-- a -- b -->c</string>', 'c'],
    ['<String>a</String>', 'a'],
    ['<string>a<br/>b</string>', /./, 'loses the text'],
    ['<string><b>bold</b></string>', /./, 'loses the text'],
  ]),

  structure: [
    ...values([
      ['<array/>', []],
      ['<array></array>', []],
      ['<ex:nil/>', null],
      ['<foo:nil/>', null],
      ['\n <int>5</int> noise\n', 5],
      ['noise <int>5</int>', 5],
      ['<array><data>noise<value>1</value>&nbsp;</data></array>', ['1']],
      [
        '<array><data><value><int>5000000000</int></value><value><double>inf</double></value></data></array>',
        [5000000000, Number.POSITIVE_INFINITY],
      ],
      ['<ex:serializable>rO0A</ex:serializable>', /is not an element of XML-RPC/],
      ['<ex:dom><a/></ex:dom>', /is not an element of XML-RPC/],
      ['<html>5</html>', /is not an element of XML-RPC/],
      ['<struct><member><name>a</name></member></struct>', /lacks <value>/],
      ['<value/>', ''],
      ['<value><int>5</int></value>', 5],
      ['<value><value>a</value></value>', 'a'],
      ['<array><value>1</value><value><int>2</int></value></array>', ['1', 2]],
      ['<array><data><int>1</int><array/><struct/></data></array>', [1, [], {}]],
      ['<array><data><nil/><value/></data></array>', [null, '']],
      ['<array><data><value>1</value></data><data><value>2</value></data></array>', ['1', '2']],
      ['<struct><member><name>a</name><int>1</int></member></struct>', { a: 1 }],
      ['<struct><member><name>a</name><array><int>1</int></array></member></struct>', { a: [1] }],
      [`<struct><name>a</name><value>1</value>${member('b', '2')}<member/></struct>`, { a: '1', b: '2' }],
      ['<array><struct><name>a</name><nil/></struct></array>', [{ a: null }]],
      ['<string>a</string><string>b</string>', /./, 'a tuple of both'],
      ['<boolean><int>1</int></boolean>', /./, 'a tuple of both'],
      ['<struct><member><name>a</name><name>b</name><value>1</value></member></struct>', /./],
      ['<struct><member><name>a</name><value>1</value><value>2</value></member></struct>', /./],
      ['<array><data><name>a</name></data></array>', /./, 'an array of nothing'],
      ['<array><data><value>1</data></array>', /./],
      ['<struct><member><value>1</value><name>a</name></member></struct>', /./, 'swaps name and value'],
    ]),
    {
      name: '<params/>',
      document: '<methodResponse><params/></methodResponse>',
      expected: null,
      unlikePython: 'an empty tuple',
    },
    {
      name: '<params> </params>',
      document: '<methodResponse><params> </params></methodResponse>',
      expected: null,
      unlikePython: 'an empty tuple',
    },
    {
      name: '<param/>',
      document: '<methodResponse><params><param/></params></methodResponse>',
      expected: null,
      unlikePython: 'an empty tuple',
    },
    {
      name: '<param> </param>',
      document: '<methodResponse><params><param> </param></params></methodResponse>',
      expected: null,
      unlikePython: 'an empty tuple',
    },
    ...[
      ['no <value>', '<methodResponse><params><param><int>5</int></param></params></methodResponse>', 5],
      ['no <param>', '<methodResponse><params><value><int>5</int></value></params></methodResponse>', 5],
      ['no <param> and <value>', '<methodResponse><params><int>5</int></params></methodResponse>', 5],
    ].map(([name, document, expected]) => ({ name: String(name), document: String(document), expected })),
    {
      name: 'a text without <value>',
      document: '<methodResponse><params><param>hello</param></params></methodResponse>',
      expected: /"hello" is text between elements/,
      unlikePython: 'an empty tuple',
    },
    {
      name: 'no <params>',
      document: '<methodResponse></methodResponse>',
      expected: /lacks <params> or <fault>/,
    },
    {
      name: 'two values',
      document:
        '<methodResponse><params><param><value>1</value></param><param><value>2</value></param></params></methodResponse>',
      expected: /more than one value/,
      unlikePython: 'a tuple of both',
    },
    { name: 'a document that is cut short', document: responseOf('1').slice(0, -30), expected: /./ },
    {
      name: 'a call',
      document: '<methodCall><methodName>a</methodName></methodCall>',
      expected: /./,
      unlikePython: 'the parameters of the call',
    },
  ],

  'the place of the document': [
    ['a blank line before the declaration', `\n${DECLARATION}`, ''],
    ['blanks and a byte order mark within', ` \ufeff${DECLARATION}`, ''],
    ['a notice of PHP', `${NOTICE}${DECLARATION}`, ''],
    ['a warning as text', `PHP Warning: foo() < 3 & more\n${DECLARATION}`, ''],
    ['a comment that looks like a response', `\n<!-- ${responseOf('<int>6</int>')} -->`, ''],
    ['a document type declaration', '<!DOCTYPE methodResponse>', ''],
    [
      'a document type declaration with a system identifier',
      `${DECLARATION}<!DOCTYPE methodResponse SYSTEM "http://x.test/a.dtd">`,
      '',
    ],
    [
      'a declaration of an entity that looks like a response',
      `<!DOCTYPE a [<!ENTITY e "${responseOf('<int>6</int>')}"> <!-- ]> -->]>`,
      '',
    ],
    ['two declarations', `${DECLARATION}${DECLARATION}`, ''],
    ['a malformed declaration', "<?xml version=1.0 encoding='utf-8'?>", ''],
    ['text after the document', DECLARATION, '\nfinished in 0.2 s'],
    ['markup after the document', DECLARATION, '<script>x()</script>'],
    ['a comment of a cache after the document', DECLARATION, '\n<!-- served by a -- cache -->'],
    ['zero bytes after the document', DECLARATION, '\0\0'],
    ['a notice before and after', `${NOTICE}`, NOTICE],
  ].map(([name = '', before = '', after = '']) => ({
    name,
    document: `${before}${responseOf('<int>5</int>')}${after}`,
    expected: 5,
  })),

  entities: [
    {
      name: 'an internal entity is not expanded',
      document: `<!DOCTYPE a [<!ENTITY e "value">]>${responseOf('&e;')}`,
      expected: /"&e;" is neither a character reference nor a predefined entity/,
      unlikePython: 'expands it',
    },
    {
      name: 'an entity of HTML that the document declares otherwise',
      document: `<!DOCTYPE a [<!ENTITY eacute "e">]>${responseOf('&eacute;')}`,
      expected: /"&eacute;" is neither a character reference nor a predefined entity/,
      unlikePython: 'expands it',
    },
    {
      name: 'an external entity is not fetched',
      document: `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${responseOf('&e;')}`,
      expected: /"&e;" is neither a character reference nor a predefined entity/,
      unlikePython: 'reads nothing',
    },
    { name: 'no document at all', document: '<html><body>503</body></html>', expected: /./ },
    { name: 'an empty document', document: '', expected: /./ },
    { name: 'a response within an unfinished comment', document: `<!-- ${responseOf('1')}`, expected: /./ },
  ],

  faults: [
    ['a code as text', faultStruct('<string>26</string>', 'x'), new Fault(26, 'x'), 'a code as text'],
    [
      'a code that is a word',
      faultStruct('E_STOCK', 'No more.'),
      new Fault(0, 'E_STOCK: No more.'),
      'a code as text',
    ],
    ['a code as double', faultStruct('<double>26.0</double>', 'x'), new Fault(26, 'x')],
    [
      'a code above 32 bits',
      faultStruct('<int>4294967295</int>', 'x'),
      { faultCode: 4294967295, faultString: 'x' },
    ],
    [
      'a code below 32 bits',
      faultStruct('<i8>-4294967295</i8>', 'x'),
      { faultCode: -4294967295, faultString: 'x' },
    ],
    ['a code that is nil', faultStruct('<nil/>', 'x'), new Fault(0, 'x'), 'a code None'],
    ['a text that is nil', faultStruct('<int>26</int>', '<nil/>'), new Fault(26, ''), 'a text None'],
    ['a text that is an int', faultStruct('<int>26</int>', '<int>7</int>'), new Fault(26, '7'), 'an int'],
    ['a text that is a struct', faultStruct('<int>26</int>', '<struct/>'), new Fault(26, ''), 'a struct'],
    ['a text with control characters', faultStruct('<int>26</int>', '\x1b[1mx'), new Fault(26, '\x1b[1mx')],
    ['no text', faultOf(`<struct>${member('faultCode', '<int>26</int>')}</struct>`), new Fault(26, '')],
    ['no code', faultOf(`<struct>${member('faultString', 'x')}</struct>`), new Fault(0, 'x')],
    ['an empty struct', faultOf('<struct/>'), new Fault(0, '')],
    [
      'more members',
      faultOf(
        `<struct>${member('faultCode', '<int>1</int>')}${member('faultString', 'x')}${member('detail', 'y')}</struct>`,
      ),
      new Fault(1, 'x'),
    ],
    ['a text alone', faultOf('broken'), new Fault(0, 'broken')],
    ['an empty fault', '<methodResponse><fault/></methodResponse>', new Fault(0, '')],
    ['an array', faultOf('<array><data/></array>'), new Fault(0, '')],
    [
      'a text that is an array',
      faultStruct('<int>4</int>', '<array><data><value>a</value><value><int>5</int></value></data></array>'),
      new Fault(4, 'a, 5'),
      'an array',
    ],
    [
      'names in another case',
      faultOf(`<struct>${member('faultcode', '<int>4</int>')}${member('FaultString', 'x')}</struct>`),
      new Fault(4, 'x'),
    ],
    [
      'other names',
      faultOf(`<struct>${member('code', '<int>4</int>')}${member('message', 'x')}</struct>`),
      new Fault(0, 'code: 4, message: x'),
    ],
    ...['<struct>', '<param><value><struct>', '<params><param><value><struct>'].map((start) => [
      `a fault within ${start}`,
      `<methodResponse><fault>${start}${member('faultCode', '<int>4</int>')}${member('faultString', 'x')}${start
        .split('<')
        .slice(1)
        .map((tag) => `</${tag}`)
        .reverse()
        .join('')}</fault></methodResponse>`,
      new Fault(4, 'x'),
    ]),
    ['a notice before it', NOTICE + faultStruct('<int>26</int>', 'x'), new Fault(26, 'x')],
  ].map(([name, document, expected, unlikePython]) => ({
    name: String(name),
    document: String(document),
    expected,
    ...(unlikePython !== undefined && { unlikePython: String(unlikePython) }),
  })),

  encodings: [
    {
      name: 'a parameter UTF-8 on a document that declares ISO-8859-1',
      document: latin1(`<?xml version="1.0" encoding="ISO-8859-1"?>${responseOf(GREETING)}`),
      charset: 'UTF-8',
      expected: 'grüße',
    },
    {
      name: 'a parameter ISO-8859-1 on a document that declares UTF-8',
      document: utf8(`<?xml version="1.0" encoding="UTF-8"?>${responseOf(GREETING)}`),
      charset: 'ISO-8859-1',
      expected: 'grüße',
    },
    {
      name: 'UTF-8 with a parameter UTF-8 on a document that declares ISO-8859-1',
      document: utf8(`<?xml version="1.0" encoding="ISO-8859-1"?>${responseOf(GREETING)}`),
      charset: 'utf-8',
      expected: 'grüße',
      unlikePython: 'does not know the parameter',
      isStrict: true,
    },
    {
      name: 'a notice in ISO-8859-1 before a document in UTF-8, and one after it',
      document: Uint8Array.from([
        ...latin1('Warnung: ungültig\n'),
        ...utf8(`${DECLARATION}${responseOf(GREETING)}`),
        ...latin1('\nfür > immer'),
      ]),
      charset: 'utf-8',
      expected: 'grüße',
    },
    {
      name: 'an unknown parameter',
      document: utf8(`${DECLARATION}${responseOf(GREETING)}`),
      charset: 'utf8mb4',
      expected: 'grüße',
    },
    {
      name: 'an unknown parameter on a document that declares its encoding',
      document: latin1(`<?xml version="1.0" encoding="iso-8859-1"?>${responseOf(GREETING)}`),
      charset: 'none',
      expected: 'grüße',
    },
    {
      name: 'an unknown declaration',
      document: utf8(`<?xml version="1.0" encoding="utf8mb4"?>${responseOf(GREETING)}`),
      expected: 'grüße',
    },
    {
      name: 'a parameter where the document declares nothing',
      document: latin1(`${DECLARATION}${responseOf(GREETING)}`),
      charset: 'iso-8859-1',
      expected: 'grüße',
      isStrict: true,
    },
    {
      name: 'UTF-8 that declares UTF-16',
      document: utf8(`<?xml version="1.0" encoding="utf-16"?>${responseOf(GREETING)}`),
      expected: 'grüße',
    },
    {
      name: 'UTF-8 with a parameter UTF-16',
      document: utf8(`${DECLARATION}${responseOf(GREETING)}`),
      charset: 'utf-16',
      expected: 'grüße',
    },
    {
      name: 'UTF-8 that declares US-ASCII',
      document: utf8(`<?xml version="1.0" encoding="us-ascii"?>${responseOf(GREETING)}`),
      expected: 'grüße',
    },
    {
      name: 'UTF-16 without a byte order mark with a parameter UTF-8',
      document: utf16(
        `<?xml version="1.0" encoding="utf-16"?>${responseOf('<string>gr\u00fc\u00dfe</string>')}`,
      ),
      charset: 'utf-8',
      expected: 'grüße',
    },
    {
      name: 'a declaration after a notice of PHP',
      document: latin1(`${NOTICE}<?xml version="1.0" encoding="ISO-8859-1"?>${responseOf(GREETING)}`),
      expected: 'grüße',
    },
    {
      name: 'a declaration within a comment, which counts for nothing',
      document: utf8(`<!-- <?xml version="1.0" encoding="ISO-8859-1"?> -->${responseOf(GREETING)}`),
      expected: 'grüße',
      isStrict: true,
    },
    {
      name: 'a declaration within a text, which counts for nothing',
      document: utf8(responseOf('<string>ü<![CDATA[<?xml version="1.0" encoding="ISO-8859-1"?>]]></string>')),
      expected: 'ü<?xml version="1.0" encoding="ISO-8859-1"?>',
      isStrict: true,
    },
    {
      name: 'bytes of Latin-1 that declare nothing',
      document: latin1(`${DECLARATION}${responseOf(GREETING)}`),
      expected: 'grüße',
      unlikePython: 'is strict about encodings',
    },
    {
      name: 'bytes that are not UTF-8 with a parameter and a declaration UTF-8',
      document: latin1(`<?xml version="1.0" encoding="UTF-8"?>${responseOf(GREETING)}`),
      charset: 'utf-8',
      expected: 'grüße',
      unlikePython: 'is strict about encodings',
    },
    {
      name: 'a byte that is not UTF-8 in a document that is',
      document: Uint8Array.from([
        ...utf8(`${DECLARATION}<methodResponse><params><param><value><string>grüße `),
        0xe9,
        ...utf8('</string></value></param></params></methodResponse>'),
      ]),
      expected: 'grüße \ufffd',
      unlikePython: 'is strict about encodings',
    },
    {
      name: 'bytes that are not UTF-8, after a notice in Latin-1',
      document: latin1(`Warnung: ungültig\n${DECLARATION}${responseOf(GREETING)}`),
      expected: 'grüße',
      unlikePython: 'is strict about encodings',
    },
  ],
}
