/** What a service tells of itself (the XML-RPC introspection specification). */
import { Fault, FaultCode } from '../../xmlrpc/fault.ts'
import type { Signature } from '../../xmlrpc/types.ts'
import type { Service, ServiceMethod } from './methods.ts'
import { formatSignatures } from './signatures.ts'

/** The signatures and the help of the framework's own methods. A build may strip comments, so the texts are stated. */
export const SYSTEM_METHODS: Readonly<Record<string, { signature: Signature[]; help: string }>> = {
  system_listMethods: {
    signature: [['array']],
    help: 'The names of the methods of this service.',
  },
  system_methodSignature: {
    signature: [
      ['array', 'string'],
      ['string', 'string'],
    ],
    help: `The valid signatures of a method: an array of arrays, each of which has the type of the result first and the
types of the parameters after it. 'undef' when the method declares none.`,
  },
  system_methodHelp: {
    signature: [['string', 'string']],
    help: 'The documentation of a method; empty when it has none.',
  },
  system_multicall: {
    signature: [['array', 'array']],
    help: `Calls several methods: takes an array of structs, each with a methodName and the array params. Answers an array
with one entry for each call: an array that holds the result, or the struct of a fault.`,
  },
  system_getCapabilities: {
    signature: [['struct']],
    help: 'The specifications that this service follows, by name, each with specUrl and specVersion.',
  },
}

/** The names of all methods as they are published, in order. */
export function publishedNames(service: Service, publish: (name: string) => string): string[] {
  return [...service.methods.keys()].map(publish).sort()
}

/** The fault for a name that no method has. */
export function noSuchMethod(name: string): Fault {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  return new Fault(FaultCode.methodNotFound, `There is no method ${JSON.stringify(shown)}`)
}

/** What `system.methodSignature` answers. */
export function signatureAnswer({ signatures }: ServiceMethod): string | Signature[] {
  return signatures.length === 0 ? 'undef' : [...signatures]
}

/** What `system.methodHelp` answers: the help, and behind a blank line the signatures, if any are declared. */
export function helpAnswer({ help, signatures }: ServiceMethod): string {
  if (signatures.length === 0) return help
  const last = `Method signature: ${formatSignatures(signatures)}`
  return help === '' ? last : `${help}\n\n${last}`
}

/** A specification that a service follows. */
export interface Capability {
  readonly [member: string]: string | number
  readonly specUrl: string
  readonly specVersion: number
}

/** What `system.getCapabilities` answers. */
export function capabilities(allowNil: boolean): Record<string, Capability> {
  const followed: Record<string, Capability> = {
    xmlrpc: { specUrl: 'http://www.xmlrpc.com/spec', specVersion: 1 },
    introspection: { specUrl: 'http://xmlrpc-c.sourceforge.net/introspection.html', specVersion: 1 },
    'system.multicall': {
      specUrl: 'http://www.xmlrpc.com/discuss/msgReader$1208',
      specVersion: 1,
    },
    faults_interop: {
      specUrl: 'http://xmlrpc-epi.sourceforge.net/specs/rfc.fault_codes.php',
      specVersion: 20010516,
    },
  }
  if (allowNil) followed.nil = { specUrl: 'http://www.ontosys.com/xml-rpc/extensions.php', specVersion: 1 }
  return followed
}
