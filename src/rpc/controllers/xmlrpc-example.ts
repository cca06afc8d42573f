/** Example calls of XML-RPC. */

import { encodeUtf8 } from '../../base/bytes.ts'
import { jsonSchemaOf } from '../../http/converters/json-schema.ts'
import { DateTime } from '../xmlrpc/datetime.ts'
import { encodeCall } from '../xmlrpc/encode.ts'
import type { SignatureType } from '../xmlrpc/signature.ts'
import { Binary, type Encodable } from '../xmlrpc/values.ts'
import { type DeclaredType, schemaOf } from './declared-types.ts'
import { exampleArguments, exampleOf } from './example-values.ts'
import type { ProcedureDescription } from './procedure-description.ts'

/** Returns a call of a procedure with values of its types, on several lines. */
export function exampleCall(procedure: ProcedureDescription): string {
  const [signature] = procedure.procedure.signatures
  const params = signature?.slice(1).map(exampleOfType) ?? undeclared(procedure)
  return encodeCall(procedure.publicName, params, { allowNil: true, i8: true }).replaceAll(
    /(?=<methodName>|<params>|<param>|<\/params>|<\/methodCall>)/g,
    '\n',
  )
}

/** Returns the values for a procedure without a signature. */
function undeclared(procedure: ProcedureDescription): Encodable[] {
  const values = exampleArguments(procedure)
  return (procedure.passing === 'by-name' ? [values] : Object.values(values)) as Encodable[]
}

function exampleOfType(type: DeclaredType): Encodable {
  const special = typeof type === 'string' ? EXAMPLES.get(type) : undefined
  return special ?? (exampleOf(jsonSchemaOf(schemaOf(type), 'input')) as Encodable)
}

/** Examples of the types that JSON lacks. */
const EXAMPLES: ReadonlyMap<SignatureType, Encodable> = new Map<SignatureType, Encodable>([
  ['i8', 4n],
  ['struct', { name: 'text' }],
  ['dateTime.iso8601', new DateTime('19980717T14:08:55')],
  ['base64', new Binary(encodeUtf8('bytes'))],
])
