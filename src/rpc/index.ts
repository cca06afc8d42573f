/**
 * Services with several faces: one class is XML-RPC, JSON-RPC, plain JSON and more.
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
export { Fault, FaultCode } from '../xmlrpc/fault.ts'
