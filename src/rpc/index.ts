/**
 * Services with several faces: one class is XML-RPC, JSON-RPC, plain JSON, MCP and more. A client of JSON-RPC.
 *
 * @module
 */
export type { JSONSchema } from '../http/converters/json-schema.ts'
export { JSONRPCError, JSONRPCErrorCode } from '../http/jsonrpc/error.ts'
export {
  type CallSignature,
  callSignature,
  type ProcedureFor,
  type ProcedureOutcome,
} from './controllers/call-signature.ts'
export type { DeclaredSignature, DeclaredType } from './controllers/declared-types.ts'
export { xmlrpc_fault } from './controllers/fault.ts'
export type { Capability } from './controllers/introspection.ts'
export { JSONRPCController } from './controllers/jsonrpc-controller.ts'
export type { ProcedureController } from './controllers/procedure-controller.ts'
export { RPCController } from './controllers/rpc-controller.ts'
export type { SignatureDeclaration, StatedSignatures } from './controllers/signatures.ts'
export { XMLRPCController } from './controllers/xmlrpc-controller.ts'
export type { FaceName } from './faces/select.ts'
export { JSONRPCProtocolError, JSONRPCTransportError } from './jsonrpc/client-errors.ts'
export {
  type AnyJSONApi,
  type AnyJSONMethod,
  type JSONRPCBatchCall,
  JSONRPCClient,
  type JSONRPCClientConstructor,
  type JSONRPCClientMethods,
  type JSONRPCClientOptions,
  type WithOptions,
} from './jsonrpc/jsonrpc-client.ts'
export type { JSONResult, JSONResultObject, NamedParams, NoMembers } from './jsonrpc/messages.ts'
export type { CallOptions, TransportOptions } from './transport/transport-options.ts'
export { Fault, FaultCode } from './xmlrpc/fault.ts'
