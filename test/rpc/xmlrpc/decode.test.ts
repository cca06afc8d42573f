import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Binary,
  DateTime,
  type DecodeOptions,
  Double,
  decodeCall,
  decodeResponse,
  encodeCall,
  Fault,
  FaultCode,
  XMLRPCDecodeError,
} from 'propylon/xmlrpc'

const withValue = (value: string) =>
  `<methodCall><methodName>a</methodName><params><param><value>${value}</value></param></params></methodCall>`
const response = (inner: string) => `<methodResponse>${inner}</methodResponse>`
const returning = (value: string) => response(`<params><param><value>${value}</value></param></params>`)

function failure(body: string | Uint8Array, options?: DecodeOptions): XMLRPCDecodeError {
  try {
    decodeCall(body, options)
  } catch (error) {
    if (error instanceof XMLRPCDecodeError) return error
    throw error
  }
  assert.fail('the document was decoded')
}

describe('line ends', () => {
  for (const length of [1, 4095, 4096, 4097, 12_288]) {
    it(`are LF after a text of ${length} characters`, () => {
      const text = `${'𝄞'.repeat(length)}\r\nb\rc\n\r\r\n\r`
      const [value] = decodeCall(withValue(`<string>${text}</string>`)).params
      assert.equal(value, text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'))
    })
  }

  it('are replaced in a long text without a match for each', (t) => {
    let given = 0
    const { replace } = String.prototype
    t.mock.method(String.prototype, 'replace', function (this: string, ...args: unknown[]) {
      given += this.length
      return Reflect.apply(replace, this, args)
    })
    const [value] = decodeCall(withValue('\r'.repeat(100_000))).params
    assert.equal(value, '\n'.repeat(100_000))
    assert.ok(given < 10_000, `replace was given ${given} characters`)
  })
})

describe('decodeCall', () => {
  it('returns the type of each parameter', () => {
    const values = {
      string: '<string>1</string>',
      int: '<int>3</int>',
      double: '<double>3.0</double>',
      boolean: '<boolean>1</boolean>',
      i8: '<i8>3</i8>',
      'dateTime.iso8601': '<dateTime.iso8601>19980717T14:08:55</dateTime.iso8601>',
      base64: '<base64>AQID</base64>',
      array: '<array><data><value><int>1</int></value></data></array>',
      struct: '<struct><member><name>a</name><value><double>1</double></value></member></struct>',
      nil: '<nil/>',
    }
    const params = Object.values(values).map((value) => `<param><value>${value}</value></param>`)
    const document = `<methodCall><methodName>a</methodName><params>${params.join('')}</params></methodCall>`
    assert.deepEqual(decodeCall(document).types, Object.keys(values))
  })

  it('skips a byte order mark before a text', () => {
    assert.deepEqual(decodeCall(`\ufeff${withValue('a')}`).types, ['string'])
    assert.throws(() => decodeCall(`\ufeff\ufeff${withValue('a')}`), /text outside the root element/)
  })

  it('returns a double without digits before its point', () => {
    assert.deepEqual(decodeCall(withValue('<double>-.125</double>')).params, [-0.125])
  })

  it('returns the types of untyped values and of empty arrays and structs', () => {
    assert.deepEqual(decodeCall(withValue('a')).types, ['string'])
    assert.deepEqual(decodeCall(withValue('<array><data/></array>')).types, ['array'])
    assert.deepEqual(decodeCall(withValue('<struct/>')).types, ['struct'])
    assert.deepEqual(decodeCall(withValue('<i4>1</i4>')).types, ['int'])
    assert.deepEqual(decodeCall(withValue('<ex:i1>1</ex:i1>')).types, ['int'])
    assert.deepEqual(decodeCall(withValue('<ex:i2>1</ex:i2>')).types, ['int'])
    const next = '<int>1</int></value></param><param><value> <string>a</string> '
    assert.deepEqual(decodeCall(withValue(next)).types, ['int', 'string'])
  })

  it('decodes dates and bytes as DateTime and Binary', () => {
    const [date] = decodeCall(withValue('<dateTime.iso8601>19980717T14:08:55</dateTime.iso8601>')).params
    assert.ok(date instanceof DateTime && date.year === 1998)
    const [bytes] = decodeCall(withValue('<base64>AQID</base64>')).params
    assert.ok(bytes instanceof Binary)
    assert.deepEqual(bytes.bytes, new Uint8Array([1, 2, 3]))
  })

  it('decodes doubles as numbers, or as Double with doubles: wrapped', () => {
    const document = withValue('<array><data><value><double>2.0</double></value></data></array>')
    assert.deepEqual(decodeCall(document).params, [[2]])
    assert.deepEqual(decodeCall(document, { doubles: 'wrapped' }).params, [[new Double(2)]])
  })

  it('refuses nil without allowNil', () => {
    assert.match(failure(withValue('<nil/>'), { allowNil: false }).message, /^params\[0\]: nil is not allowed/)
  })

  it('decodes the words true and false with booleanWords', () => {
    const document = withValue('<boolean>true</boolean>')
    assert.deepEqual(decodeCall(document, { booleanWords: true }).params, [true])
    assert.equal(failure(document).faultCode, FaultCode.invalidRequest)
  })

  it('reports the path and the offset of an error', () => {
    const inner =
      '<struct><member><name>list</name><value><array><data><value>a</value><value><struct><member>' +
      '<name>odd name</name><value><int>12abc</int></value>'
    const error = failure(withValue(inner))
    assert.equal(error.path, 'params[0].list[1]["odd name"]')
    assert.equal(error.offset, withValue(inner).indexOf('12abc'))
    assert.equal(error.message, `${error.path}: "12abc" is not an int (at character ${error.offset})`)
  })

  it('reports the path of a member called struct', () => {
    const age = '<struct><member><name>age</name><value><int>12abc</int></value></member></struct>'
    const error = failure(withValue(`<struct><member><name>struct</name><value>${age}</value></member></struct>`))
    assert.match(error.message, /^params\[0\]\.struct\.age: "12abc" is not an int/)
  })

  it('names the encoding if the bytes are not valid in it', () => {
    const error = failure(new Uint8Array([0x3c, 0xff]))
    assert.equal(error.faultCode, FaultCode.invalidCharacter)
    assert.equal(error.message, 'the bytes are not UTF-8')
  })

  const { notWellFormed, invalidRequest } = FaultCode
  const documents: [document: string, code: number, message: string][] = [
    ['', notWellFormed, 'the document ends where <methodCall> is expected'],
    ['<methodCall>', notWellFormed, 'the document ends where <methodName> is expected'],
    ['<methodCall></methodCall>', invalidRequest, '<methodCall> lacks <methodName>'],
    ['<methodCall><methodName>a</a>', notWellFormed, 'the end tag </a> ends no open element'],
    ['<methodCall><methodName>a</params>', notWellFormed, 'the end tag is </params> where </methodName> is expected'],
  ]
  for (const [document, code, message] of documents) {
    it(`names the error of ${JSON.stringify(document)}`, () => {
      const error = failure(document)
      assert.equal(error.faultCode, code)
      assert.equal(error.message, `${message} (at character ${error.offset})`)
    })
  }

  const LONG = 'x'.repeat(50)
  const attributes = Array.from({ length: 65 }, (_, index) => `a${index}=""`).join(' ')
  const values: [value: string, code: number, message: string][] = [
    ['<array></array>', invalidRequest, '<array> lacks <data>'],
    [
      '<array><data><int>1</int></data></array>',
      invalidRequest,
      'the tag is <int> where <value> or </data> is expected',
    ],
    ['<array><data></array>', notWellFormed, 'the end tag is </array> where <value> or </data> is expected'],
    ['<struct><name>a</name></struct>', invalidRequest, 'the tag is <name> where <member> or </struct> is expected'],
    ['<struct><member></member></struct>', invalidRequest, '<member> lacks <name>'],
    ['<struct><member><name>a</name></member></struct>', invalidRequest, '<member> lacks <value>'],
    ['<foo/>', invalidRequest, '<foo> is not an element of XML-RPC'],
    [`<${LONG}/>`, invalidRequest, `<${'x'.repeat(40)}…> is not an element of XML-RPC`],
    ['<ex:foo/>', invalidRequest, '<ex:foo> is not an element of XML-RPC'],
    ['<y:nil/>', invalidRequest, '<y:nil> is not an element of XML-RPC'],
    ['<y:nil xmlns:y="urn:x"/>', invalidRequest, '<y:nil> is not an element of XML-RPC'],
    ['<member/>', invalidRequest, 'the tag is <member> where a type is expected'],
    ['</>', notWellFormed, 'the end tag has no name'],
    ['<>', notWellFormed, 'the tag has no name'],
    ['<int>1</int x>', notWellFormed, 'the end tag is malformed'],
    ['<int>1</i4>', notWellFormed, 'the end tag is </i4> where </int> is expected'],
    ['<ex:nil></ey:nil>', notWellFormed, 'the end tag </ey:nil> ends no open element'],
    ['<int a="1" a="2">1</int>', notWellFormed, 'the attribute a occurs twice'],
    ['<int a>1</int>', notWellFormed, 'the start tag is malformed'],
    ['<int a=1>1</int>', notWellFormed, 'the start tag is malformed'],
    ['<int a="<">1</int>', notWellFormed, 'the value of the attribute a has a "<"'],
    ['<int a="1"b="2">1</int>', notWellFormed, 'the start tag is malformed'],
    ['<int /x>', notWellFormed, 'the start tag is malformed'],
    [`<int ${attributes}>1</int>`, invalidRequest, 'an element has more than 64 attributes'],
    ['a<int>1</int>', invalidRequest, '"a" is text between elements'],
    ['<int>1</int> a ', invalidRequest, '"a" is text between elements'],
    [`<array>${LONG}y<data/></array>`, invalidRequest, `"${LONG}" is text between elements`],
    ['<double>x</double>', invalidRequest, '"x" is not a double'],
    ['<boolean>x</boolean>', invalidRequest, '"x" is not a boolean'],
    ['<dateTime.iso8601>x</dateTime.iso8601>', invalidRequest, '"x" is not a date and time'],
    ['<base64>?</base64>', invalidRequest, '"?" is not base64'],
    ['<i8>x</i8>', invalidRequest, '"x" is not an i8'],
    ['<ex:i1>128</ex:i1>', invalidRequest, '"128" is not an i1'],
    ['<ex:i2>32768</ex:i2>', invalidRequest, '"32768" is not an i2'],
  ]
  for (const [value, code, message] of values) {
    it(`names the error of the value ${value.slice(0, 60)}`, () => {
      const error = failure(withValue(value))
      assert.equal(error.faultCode, code)
      assert.ok(error.message.endsWith(`: ${message} (at character ${error.offset})`), error.message)
    })
  }

  it('reports a forbidden character wherever it is', () => {
    for (const inner of [
      'a\u0001',
      '<![CDATA[\u0001]]>',
      '<!-- \u0001 -->',
      '<?a \u0001?>',
      '<int a="\u0001">',
      ' \u0001 <int>',
    ]) {
      const error = failure(withValue(inner))
      assert.equal(error.faultCode, FaultCode.notWellFormed)
      assert.equal(error.offset, withValue(inner).indexOf('\u0001'))
    }
  })

  it('converts its error to the fault to respond with', () => {
    const fault = failure('<').toFault()
    assert.ok(fault instanceof Fault)
    assert.equal(fault.faultCode, -32700)
  })

  for (const [limit, body, message] of [
    [{ maxLength: 10 }, '<methodCall><methodName>', /has 24 characters; the limit is 10/],
    [{ maxLength: 10 }, new Uint8Array(11), /has 11 bytes; the limit is 10/],
    [{ maxDepth: 1 }, withValue('<array><data><value><struct/></value></data></array>'), /nest deeper than 1/],
    [{ maxElements: 4 }, withValue('<int>1</int>'), /more than 4 elements/],
    [{ maxTextLength: 3 }, withValue('abcd'), /^params\[0\]: a text is longer than 3 characters/],
    [{ maxTextLength: 3 }, withValue('a&lt;b&lt;'), /a text is longer than 3 characters/],
  ] as const) {
    it(`applies the limit ${JSON.stringify(limit)}: ${message.source}`, () => {
      const error = failure(body, limit)
      assert.equal(error.faultCode, FaultCode.invalidRequest)
      assert.match(error.message, message)
    })
  }

  it('counts all elements', () => {
    const member = '<member><name>a</name><value>1</value></member>'
    const document = withValue(`<struct>${member.repeat(10)}</struct>`)
    const elements = document.match(/<[a-zA-Z]/g)?.length ?? 0
    assert.equal(decodeCall(document, { maxElements: elements }).types.length, 1)
    assert.match(failure(document, { maxElements: elements - 1 }).message, /elements/)
  })

  it('decodes documents deeper than the default with a larger maxDepth', () => {
    const depth = 50_000
    const document = withValue('<array><data><value>'.repeat(depth) + '</value></data></array>'.repeat(depth))
    assert.equal(decodeCall(document, { maxDepth: depth }).types[0], 'array')
  })

  it('refuses an unpaired surrogate in text', () => {
    assert.equal(failure(withValue('a\ud83d')).faultCode, FaultCode.notWellFormed)
  })
})

describe('decodeResponse', () => {
  it('returns the value', () => {
    assert.equal(decodeResponse(returning('<int>5</int>')), 5)
    assert.equal(decodeResponse(new TextEncoder().encode(returning('a'))), 'a')
  })

  it('throws the fault', () => {
    const members =
      '<member><name>faultCode</name><value><int>26</int></value></member>' +
      '<member><name>faultString</name><value><string>No more stock.</string></value></member>'
    const document = response(`<fault><value><struct>${members}</struct></value></fault>`)
    assert.throws(() => decodeResponse(document), new Fault(26, 'No more stock.'))
    assert.throws(
      () => decodeResponse(document.replaceAll('int>', 'i8>'), { doubles: 'wrapped' }),
      new Fault(26, 'No more stock.'),
    )
  })

  it('reads the code of a fault from any type, and ignores other members', () => {
    for (const code of ['<i8>26</i8>', '<string>26</string>', '<double>26.0</double>']) {
      const members =
        `<member><name>faultCode</name><value>${code}</value></member>` +
        '<member><name>faultString</name><value>x</value></member>' +
        '<member><name>detail</name><value>y</value></member>'
      const document = response(`<fault><value><struct>${members}</struct></value></fault>`)
      assert.throws(() => decodeResponse(document), new Fault(26, 'x'), code)
    }
  })

  for (const [place, prolog, content] of [
    ['a comment', '<!-- <?xml version="1.0" encoding="ISO-8859-1"?> -->', 'ü'],
    ['a text', '', 'ü<![CDATA[<?xml version="1.0" encoding="ISO-8859-1"?>]]>'],
  ] as const) {
    it(`ignores a declaration of an encoding within ${place}`, () => {
      const document = prolog + returning(`<string>${content}</string>`).replace(/^<\?xml.*?\?>/, '')
      assert.match(String(decodeResponse(new TextEncoder().encode(document))), /^ü/)
    })
  }

  for (const [name, document] of [
    ['a call', encodeCall('a')],
    ['no value', response('<params/>')],
    ['nothing', response('')],
    ['two values', response('<params><param><value/></param><param><value/></param></params>')],
    ['a value and a fault', response('<params><param><value/></param></params><fault><value/></fault>')],
    ['a fault without struct', response('<fault><value>no</value></fault>')],
    ['a fault without code', response('<fault><value><struct/></value></fault>')],
    ['a fault without value', response('<fault/>')],
    ['HTML', '<html></html>'],
  ] as const) {
    it(`refuses ${name}`, () => {
      assert.throws(() => decodeResponse(document), XMLRPCDecodeError)
    })
  }
})

describe('a decoded string', () => {
  it('does not retain a large document', async () => {
    const { default: v8 } = await import('node:v8')
    const { default: vm } = await import('node:vm')
    v8.setFlagsFromString('--expose-gc')
    const collect: () => void = vm.runInNewContext('gc')
    const filler = `<value><string>${'x'.repeat(1_000_000)}</string></value>`
    const kept: unknown[] = []
    collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 40; i++) {
      const texts = `<value>a text of thirty characters ${i}</value><value>with &amp; a reference in it, ${i}</value>`
      const [list] = decodeCall(withValue(`<array><data>${texts}${filler}</data></array>`)).params
      assert.ok(Array.isArray(list))
      kept.push(list[0], list[1])
    }
    collect()
    const held = process.memoryUsage().heapUsed - before
    assert.equal(kept.length, 80)
    assert.ok(held < 4_000_000, `${held} bytes are retained`)
  })
})
