export type { Remote } from '../transport/remote.ts'
export type { CallOptions, CookieStore, Fetch, TransportOptions } from '../transport/transport-options.ts'
export { Binary } from './binary.ts'
export {
  type AnyApi,
  type AnyMethod,
  type BatchCall,
  type WithOptions,
  XMLRPCClient,
  type XMLRPCClientConstructor,
  type XMLRPCClientMethods,
  type XMLRPCClientOptions,
} from './client/xmlrpc-client.ts'
export { DateTime, type PlainDateTimeLike, type ZoneOptions } from './datetime.ts'
export {
  type Call,
  type DecodeOptions,
  type DecodeResponseOptions,
  decodeCall,
  decodeResponse,
} from './decode.ts'
export { Double, double } from './double.ts'
export {
  type EncodeOptions,
  type EncodeResponseOptions,
  encodeCall,
  encodeResponse,
  faultStruct,
} from './encode.ts'
export { Fault, FaultCode } from './fault.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export { asType, isSignatureType, typeOf } from './signature.ts'
export type {
  Encodable,
  EncodableStruct,
  ParametersOf,
  ReturnOf,
  ReturnTypes,
  Signature,
  SignatureType,
  Struct,
  TypeName,
  Value,
  ValueOf,
  ValueTypes,
} from './types.ts'
export type { ValueOptions } from './value-reader.ts'
export type { WriteOptions } from './writer.ts'
export {
  XMLRPCDecodeError,
  XMLRPCEncodeError,
  XMLRPCError,
  XMLRPCProtocolError,
  XMLRPCTransportError,
} from './xmlrpc-error.ts'
