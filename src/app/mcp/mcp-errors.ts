/** Errors of the Model Context Protocol. */
import { JSONRPCError, JSONRPCErrorCode } from '../../http/jsonrpc/error.ts'

/** Error codes that the protocol defines (basic protocol, "Error Codes"). */
export const MCPErrorCode = {
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

/** Returns the error for parameters that a method does not accept. */
export function invalidParams(problem: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidParams, `Invalid params: ${problem}`)
}

/** Returns the error for a request that is not one. */
export function invalidRequest(problem: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidRequest, `Invalid Request: ${problem}`)
}

/** Returns the error for a method that the server does not have. */
export function methodNotFound(): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.methodNotFound, 'Method not found')
}

/** Returns the error for a tool that the server does not have. */
export function unknownTool(name: string): JSONRPCError {
  return new JSONRPCError(JSONRPCErrorCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
}
