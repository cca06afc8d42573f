/**
 * Services with several faces: one class is XML-RPC, JSON-RPC, plain JSON, MCP and more. A client of JSON-RPC.
 *
 * @module
 */

export { JSONRPCError, JSONRPCErrorCode } from '../app/mcp/jsonrpc.ts'
export type { JSONSchema } from '../http/converters/json-schema.ts'
export type { ProcedureController } from './controllers/procedure-controller.ts'
export { JSONRPCController, RPCController, XMLRPCController } from './controllers/rpc-controller.ts'
export { xmlrpc_fault } from './controllers/rpc-failure.ts'
export type { StatedSignatures } from './controllers/signatures.ts'
export type { DeclaredSignature, DeclaredType } from './controllers/type-table.ts'
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
export { Fault, FaultCode } from './xmlrpc/errors.ts'
