/**
 * Services with several faces: one class is XML-RPC, JSON-RPC, plain JSON, MCP and more. A client of JSON-RPC.
 *
 * @module
 */
export { type CallSignature, callSignature, type ProcedureFor } from '../controllers/rpc/call-signature.ts'
export type { FaceName } from '../controllers/rpc/faces/face.ts'
export { xmlrpc_fault } from '../controllers/rpc/fault.ts'
export type { JSONSchema } from '../controllers/rpc/json-schema.ts'
export { JSONRPCController } from '../controllers/rpc/jsonrpc-controller.ts'
export { JSONRPCError, JSONRPCErrorCode } from '../controllers/rpc/jsonrpc-error.ts'
export type { ParameterDescription, ProcedureDescription } from '../controllers/rpc/procedure-description.ts'
export { RPCController } from '../controllers/rpc/rpc-controller.ts'
export { XMLRPCController } from '../controllers/rpc/xmlrpc-controller.ts'
export { generateServiceTypes, type ServiceTypesOptions } from '../service-types/generate.ts'
export type { JSONResult, JSONResultObject } from '../service-types/json-result.ts'
export type { CallOptions, TransportOptions } from '../transport/options.ts'
export { Fault, FaultCode } from '../xmlrpc/fault.ts'
export { JSONRPCProtocolError, JSONRPCTransportError } from './errors.ts'
export {
  type AnyJSONApi,
  type AnyJSONMethod,
  type JSONRPCBatchCall,
  JSONRPCClient,
  type JSONRPCClientConstructor,
  type JSONRPCClientMethods,
  type JSONRPCClientOptions,
} from './jsonrpc-client.ts'
export type { NamedParams } from './jsonrpc-request.ts'
