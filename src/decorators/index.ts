/**
 * Action decorators. Each is a standard method decorator, for decorator syntax and {@link decorate}.
 *
 * @module
 */
export type { StandardSchemaV1 } from '@standard-schema/spec'
export type { FormErrors, FormValues } from '../controllers/template-context.ts'
export type { Action, ActionContext, ActionDecorator, ContextWithMethods } from './action-decorator.ts'
export { authenticateForm } from './authenticate-form.ts'
export { authenticationToken } from './authentication-token.ts'
export { type CachedOptions, cached } from './cached.ts'
export { type Decorations, type DecoratorFor, decorate, type MethodContext } from './decorate.ts'
export { dispatchOn } from './dispatch-on.ts'
export { https, type SecureUrl } from './https.ts'
export { type InvalidFields, type InvalidOptions, invalid } from './invalid.ts'
export { type Jsonable, jsonify } from './jsonify.ts'
export { type CachedResponse, type CacheStore, MemoryCache, type MemoryCacheOptions } from './memory-cache.ts'
export { type MethodName, restrict } from './restrict.ts'
export { type MethodFor, signature } from './signature.ts'
export {
  formResult,
  type ListField,
  type ValidateArguments,
  type ValidateOptions,
  validate,
} from './validate.ts'
