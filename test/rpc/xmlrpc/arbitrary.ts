import fc from 'fast-check'
import { Binary, DateTime, double, type Encodable } from 'propylon/xmlrpc'

/** Text of all characters that XML allows, with those that need escaping. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).map((each) => each.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')),
  fc.stringMatching(/^[<>&;#\]\r\n\t "'a-z!?[-]{0,80}$/),
  fc.constantFrom(
    '',
    ' ',
    ']]>',
    '<![CDATA[x]]>',
    '&amp;',
    '\r\n',
    '\r',
    '😀',
    '__proto__',
    '\ufeff',
    'a'.repeat(3000),
  ),
)

export const dateTime: fc.Arbitrary<DateTime> = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => DateTime.fromDate(date))

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

/** Values that are the same after encoding with `allowNil` and `i8` and decoding with wrapped doubles. */
export const wireValue: fc.Arbitrary<Encodable> = fc.letrec<{ value: Encodable }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    finite.map(double),
    fc.boolean(),
    fc.constant(null),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    dateTime,
    fc.uint8Array().map((bytes) => new Binary(bytes)),
    fc.array(tie('value')),
    fc.dictionary(text, tie('value'), { noNullPrototype: false }),
  ),
})).value
