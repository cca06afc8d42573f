export { Binary } from './binary.ts'
export { DateTime, type PlainDateTimeLike, type ZoneOptions } from './datetime.ts'
export { type Call, type DecodeOptions, decodeCall, decodeResponse } from './decode.ts'
export { Double, double } from './double.ts'
export {
  type EncodeOptions,
  type EncodeResponseOptions,
  encodeCall,
  encodeResponse,
  faultStruct,
} from './encode.ts'
export { XMLRPCDecodeError, XMLRPCEncodeError, XMLRPCError } from './errors.ts'
export { Fault, FaultCode } from './fault.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export { asType, isSignatureType, matchSignature, typeOf } from './signature.ts'
export type {
  Encodable,
  EncodableStruct,
  HandlerOf,
  ParametersOf,
  ReturnOf,
  Signature,
  SignatureType,
  Struct,
  TypeName,
  Value,
  ValueOf,
} from './types.ts'
