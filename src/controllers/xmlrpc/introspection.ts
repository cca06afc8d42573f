/** Introspection of a service (XML-RPC introspection specification). */
import { describeValue } from '../../wsgi/describe.ts'
import { Fault, FaultCode } from '../../xmlrpc/fault.ts'
import type { Signature } from '../../xmlrpc/types.ts'
import type { Service, ServiceMethod } from './methods.ts'
import { formatSignatures } from './signatures.ts'

/** Signatures and help of the framework's methods. Not read from comments, because a build may strip them. */
export const SYSTEM_METHODS: Readonly<Record<string, { signature: Signature[]; help: string }>> = {
  system_listMethods: {
    signature: [['array']],
    help: 'Returns the names of the methods of this service.',
  },
  system_methodSignature: {
    signature: [
      ['array', 'string'],
      ['string', 'string'],
    ],
    help: `Returns the signatures of a method: an array of arrays of the type of the result and the types of the parameters.
Returns 'undef' if the method declares none.`,
  },
  system_methodHelp: {
    signature: [['string', 'string']],
    help: 'Returns the documentation of a method, or an empty string.',
  },
  system_multicall: {
    signature: [['array', 'array']],
    help: `Calls several methods. Takes an array of structs with methodName and the array params. Returns an array with one
entry for each call: an array of the result, or the struct of a fault.`,
  },
  system_getCapabilities: {
    signature: [['struct']],
    help: 'Returns the specifications that this service implements, by name, with specUrl and specVersion.',
  },
}

/** Returns the public names of all methods, sorted. */
export function publishedNames(service: Service, publish: (name: string) => string): string[] {
  return [...service.methods.keys()].map(publish).sort()
}

/** Returns the fault for the name of an unknown method. */
export function noSuchMethod(name: string): Fault {
  return new Fault(FaultCode.methodNotFound, `There is no method ${describeValue(name, 100)}`)
}

/** Returns the result of `system.methodSignature`. */
export function signatureResult({ signatures }: ServiceMethod): string | Signature[] {
  return signatures.length === 0 ? 'undef' : [...signatures]
}

/** Returns the result of `system.methodHelp`: the help, and after a blank line the signatures, if there are any. */
export function helpResult({ help, signatures }: ServiceMethod): string {
  if (signatures.length === 0) return help
  const last = `Method signature: ${formatSignatures(signatures)}`
  return help === '' ? last : `${help}\n\n${last}`
}

/** A specification that a service implements. */
export interface Capability {
  readonly [member: string]: string | number
  readonly specUrl: string
  readonly specVersion: number
}

/** Returns the result of `system.getCapabilities`. */
export function capabilities(allowNil: boolean): Record<string, Capability> {
  const implemented: Record<string, Capability> = {
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
  if (allowNil) implemented.nil = { specUrl: 'http://www.ontosys.com/xml-rpc/extensions.php', specVersion: 1 }
  return implemented
}
