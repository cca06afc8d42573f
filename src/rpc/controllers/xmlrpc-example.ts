/** Example calls of XML-RPC. */

import { encodeUtf8 } from '../../base/bytes.ts'
import { Binary } from '../xmlrpc/binary.ts'
import { DateTime } from '../xmlrpc/datetime.ts'
import { double } from '../xmlrpc/double.ts'
import { encodeCall } from '../xmlrpc/encode.ts'
import type { Encodable, SignatureType } from '../xmlrpc/types.ts'
import type { DeclaredSignature } from './declared-types.ts'
import { xmlrpcType } from './introspection.ts'

/** Returns a call of a procedure with values of its types, on several lines. */
export function exampleCall(name: string, signature: DeclaredSignature | undefined): string {
  const params = (signature?.slice(1) ?? []).map((type) => EXAMPLES[xmlrpcType(type, 'input') ?? 'string'])
  return encodeCall(name, params, { allowNil: true, i8: true }).replaceAll(
    /(?=<methodName>|<params>|<param>|<\/params>|<\/methodCall>)/g,
    '\n',
  )
}

const EXAMPLES: Readonly<Record<SignatureType, Encodable>> = {
  string: 'text',
  array: ['text', 4],
  boolean: true,
  int: 4,
  i4: 4,
  i8: 4n,
  double: double(0.5),
  struct: { name: 'text' },
  'dateTime.iso8601': new DateTime('19980717T14:08:55'),
  base64: new Binary(encodeUtf8('bytes')),
  nil: null,
}
