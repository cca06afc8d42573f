/** Elements of XML-RPC, and types of Apache's extensions (`i1`, `i2`, `float`, `biginteger`), which need a prefix. */
export type Tag =
  | 'methodCall'
  | 'methodResponse'
  | 'methodName'
  | 'params'
  | 'param'
  | 'value'
  | 'fault'
  | 'array'
  | 'data'
  | 'struct'
  | 'member'
  | 'name'
  | 'string'
  | 'int'
  | 'i4'
  | 'i8'
  | 'boolean'
  | 'double'
  | 'dateTime.iso8601'
  | 'base64'
  | 'nil'
  | 'i1'
  | 'i2'

/** Namespace of Apache's extensions (https://ws.apache.org/xmlrpc/extensions.html). The usual prefix is `ex`. */
export const EXTENSION_NAMESPACE = 'http://ws.apache.org/xmlrpc/namespaces/extensions'

/** Elements that Apache's extensions have the same meaning as, by their names without a prefix. */
export const EXTENSION_TAGS: ReadonlyMap<string, Tag> = new Map([
  ['nil', 'nil'],
  ['i1', 'i1'],
  ['i2', 'i2'],
  ['i8', 'i8'],
  ['float', 'double'],
  ['biginteger', 'i8'],
  ['dateTime', 'dateTime.iso8601'],
])

/**
 * Returns the only element whose name can start at `at`, or ''. Compares no more characters than distinguish
 * the elements, so the caller must compare the name.
 */
export function likelyTag(text: string, at: number): Tag | '' {
  switch (text.charCodeAt(at)) {
    case 0x76: // v
      return 'value'
    case 0x73: // s: string, struct
      return text.charCodeAt(at + 3) === 0x69 ? 'string' : 'struct'
    case 0x69: // i: int, i4, i8
      switch (text.charCodeAt(at + 1)) {
        case 0x6e:
          return 'int'
        case 0x34:
          return 'i4'
        default:
          return 'i8'
      }
    case 0x6d: // m: member, methodCall, methodName, methodResponse
      if (text.charCodeAt(at + 2) === 0x6d) return 'member'
      switch (text.charCodeAt(at + 6)) {
        case 0x43:
          return 'methodCall'
        case 0x4e:
          return 'methodName'
        default:
          return 'methodResponse'
      }
    case 0x6e: // n: name, nil
      return text.charCodeAt(at + 1) === 0x61 ? 'name' : 'nil'
    case 0x64: // d: double, data, dateTime.iso8601
      if (text.charCodeAt(at + 1) === 0x6f) return 'double'
      return text.charCodeAt(at + 4) === 0x54 ? 'dateTime.iso8601' : 'data'
    case 0x62: // b: boolean, base64
      return text.charCodeAt(at + 1) === 0x6f ? 'boolean' : 'base64'
    case 0x70: // p: param, params
      return text.charCodeAt(at + 5) === 0x73 ? 'params' : 'param'
    case 0x61: // a
      return 'array'
    case 0x66: // f
      return 'fault'
    default:
      return ''
  }
}
