export type { NoMembers } from '../service-types/json-result.ts'
export type { CallOptions, CookieStore, Fetch, TransportOptions } from '../transport/options.ts'
export type { Remote } from '../transport/remote.ts'
export { Binary } from './binary.ts'
export {
  type BatchCall,
  type WithOptions,
  XMLRPCClient,
  type XMLRPCClientConstructor,
  type XMLRPCClientMethods,
  type XMLRPCClientOptions,
} from './client.ts'
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
export {
  XMLRPCDecodeError,
  XMLRPCEncodeError,
  XMLRPCError,
  XMLRPCProtocolError,
  XMLRPCTransportError,
} from './errors.ts'
export { Fault, FaultCode } from './fault.ts'
export { type GenerateOptions, generateTypes } from './generate.ts'
export {
  type IntrospectionProgress,
  type IntrospectOptions,
  introspect,
  type MethodDescription,
} from './introspection.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export type { AnyApi, AnyMethod } from './remote.ts'
export type { ResultStruct, ResultValue } from './result-value.ts'
export { asType, isSignatureType, matchSignature, typeOf } from './signature.ts'
export type {
  Encodable,
  EncodableStruct,
  HandlerOf,
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
