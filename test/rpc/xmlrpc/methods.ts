/** Methods as introspection describes them. */

/** Methods of the usual kinds. */
export const methods = [
  { name: 'system.listMethods', signatures: [['array']], help: 'Lists.' },
  { name: 'test.battingOrder', signatures: [['string', 'int']], help: 'The name\nof a state.' },
  {
    name: 'test.greet',
    signatures: [
      ['string', 'string'],
      ['string', 'string', 'string'],
    ],
    help: '',
  },
  { name: 'test', signatures: [['boolean']], help: 'Both a method and a namespace.' },
  {
    name: 'scale',
    signatures: [['double', 'double', 'base64', 'dateTime.iso8601', 'struct', 'i8']],
    help: '',
  },
  { name: 'any', signatures: null, help: '' },
  { name: 'list', signatures: [['array']], help: '' },
  { name: 'state', signatures: [['struct']], help: '' },
  { name: 'odd type', signatures: [['undef', 'toString']], help: '' },
  { name: 'empty', signatures: [[]], help: '' },
]

/** Methods whose names and documentation would end comments and literals. */
export const hostile = [
  { name: `quote'"\`\\\n\u2028}; evil(); //`, signatures: null, help: '*/ evil() /*' },
  { name: '__proto__.constructor', signatures: null, help: '*\\/ \u202e */\r\n*/\u2028 evil()\u2029' },
  { name: '..', signatures: null, help: '@example */ */' },
  { name: 'toString', signatures: null, help: '' },
  { name: 'a.then', signatures: null, help: '' },
  { name: 'call', signatures: null, help: '' },
  { name: 'constructor', signatures: null, help: '' },
  { name: 'über.größe', signatures: [["'; evil(); '", 'string']], help: '' },
]
