export {
  type AnyApi,
  type AnyMethod,
  type BatchCall,
  type Remote,
  type WithOptions,
  XMLRPCClient,
  type XMLRPCClientConstructor,
  type XMLRPCClientMethods,
  type XMLRPCClientOptions,
} from './client.ts'
export { DateTime } from './datetime.ts'
export { type Call, type DecodeOptions, decodeCall, decodeResponse } from './decode.ts'
export {
  type EncodeOptions,
  type EncodeResponseOptions,
  encodeCall,
  encodeResponse,
  faultStruct,
} from './encode.ts'
export {
  Fault,
  FaultCode,
  XMLRPCDecodeError,
  XMLRPCEncodeError,
  XMLRPCError,
  XMLRPCProtocolError,
  XMLRPCTransportError,
} from './errors.ts'
export {
  asType,
  isSignatureType,
  type ParametersOf,
  type ReturnOf,
  type ReturnTypes,
  type Signature,
  type SignatureType,
  type TypeName,
  typeOf,
  type ValueOf,
  type ValueTypes,
} from './signature.ts'
export { DEFAULT_LIMITS, type Limits } from './text-scanner.ts'
export type { CallOptions, Fetch, TransportOptions } from './transport.ts'
export type { ValueOptions } from './value-reader.ts'
export {
  Binary,
  Double,
  double,
  type Encodable,
  type EncodableStruct,
  type Struct,
  type Value,
} from './values.ts'
