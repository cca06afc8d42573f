/** The elements of XML-RPC as small numbers, so that the reader compares and switches on integers. */
export const Tag = {
  methodCall: 1,
  methodResponse: 2,
  methodName: 3,
  params: 4,
  param: 5,
  value: 6,
  fault: 7,
  array: 8,
  data: 9,
  struct: 10,
  member: 11,
  name: 12,
  string: 13,
  int: 14,
  i4: 15,
  i8: 16,
  boolean: 17,
  double: 18,
  dateTime: 19,
  base64: 20,
  nil: 21,
  i1: 22,
  i2: 23,
  float: 24,
  biginteger: 25,
} as const

/** The names by number; those above `nil` exist only with the prefix of Apache's extensions. */
export const TAG_NAMES: readonly string[] = [
  '',
  'methodCall',
  'methodResponse',
  'methodName',
  'params',
  'param',
  'value',
  'fault',
  'array',
  'data',
  'struct',
  'member',
  'name',
  'string',
  'int',
  'i4',
  'i8',
  'boolean',
  'double',
  'dateTime.iso8601',
  'base64',
  'nil',
  'ex:i1',
  'ex:i2',
  'ex:float',
  'ex:biginteger',
]

/** The namespace of Apache's extensions; its usual prefix is `ex`. */
export const EXTENSIONS = 'http://ws.apache.org/xmlrpc/namespaces/extensions'

const EXTENSION_TAGS: ReadonlyMap<string, number> = new Map([
  ['nil', Tag.nil],
  ['i1', Tag.i1],
  ['i2', Tag.i2],
  ['i8', Tag.i8],
  ['float', Tag.float],
  ['biginteger', Tag.biginteger],
  ['dateTime', Tag.dateTime],
])

/** The element that a prefixed name of Apache's extensions means; 0 when it means none that is read. */
export function extensionTag(localName: string): number {
  return EXTENSION_TAGS.get(localName) ?? 0
}

/** The only element whose name can begin so; 0 when none can. The caller compares the rest of the name. */
export function candidate(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case 0x76: // v
      return Tag.value
    case 0x73: // s: string, struct
      return text.charCodeAt(at + 3) === 0x69 ? Tag.string : Tag.struct
    case 0x69: // i: int, i4, i8
      switch (text.charCodeAt(at + 1)) {
        case 0x6e:
          return Tag.int
        case 0x34:
          return Tag.i4
        default:
          return Tag.i8
      }
    case 0x6d: // m: member, methodCall, methodName, methodResponse
      if (text.charCodeAt(at + 2) === 0x6d) return Tag.member
      switch (text.charCodeAt(at + 6)) {
        case 0x43:
          return Tag.methodCall
        case 0x4e:
          return Tag.methodName
        default:
          return Tag.methodResponse
      }
    case 0x6e: // n: name, nil
      return text.charCodeAt(at + 1) === 0x61 ? Tag.name : Tag.nil
    case 0x64: // d: double, data, dateTime.iso8601
      if (text.charCodeAt(at + 1) === 0x6f) return Tag.double
      return text.charCodeAt(at + 4) === 0x54 ? Tag.dateTime : Tag.data
    case 0x62: // b: boolean, base64
      return text.charCodeAt(at + 1) === 0x6f ? Tag.boolean : Tag.base64
    case 0x70: // p: param, params
      return text.charCodeAt(at + 5) === 0x73 ? Tag.params : Tag.param
    case 0x61: // a
      return Tag.array
    case 0x66: // f
      return Tag.fault
    default:
      return 0
  }
}

/** Whether this element's name stands here; what follows it is not looked at. */
export function isNamed(text: string, at: number, tag: number): boolean {
  const name = TAG_NAMES[tag] as string
  for (let i = 0; i < name.length; i++) {
    if (text.charCodeAt(at + i) !== name.charCodeAt(i)) return false
  }
  return true
}
