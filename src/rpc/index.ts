/**
 * Services with several faces: one class is XML-RPC, JSON-RPC, plain JSON, MCP and more.
 *
 * @module
 */

export { JSONRPCError, JSONRPCErrorCode } from '../app/mcp/jsonrpc.ts'
export type { JSONSchema } from '../http/converters/json-schema.ts'
export { JSONRPCController, RPCController, XMLRPCController } from './controllers/rpc-controller.ts'
export { xmlrpc_fault } from './controllers/rpc-failure.ts'
export type { StatedSignatures } from './controllers/signatures.ts'
export type { DeclaredSignature, DeclaredType } from './controllers/type-table.ts'
export type { FaceName } from './faces/select.ts'
export { Fault, FaultCode } from './xmlrpc/errors.ts'
