/**
 * Action decorators. Each is a standard method decorator, for decorator syntax and {@link decorate}.
 *
 * @module
 */
export type { StandardSchemaV1 } from '@standard-schema/spec'
export type { IORedisClient, NodeRedisClient } from './base/redis-commands.ts'
export type { FormErrors, FormValues } from './controllers/application.ts'
export type {
  Action,
  ActionContext,
  ActionDecorator,
  ContextWithMethods,
} from './controllers/decorators/action-decorator.ts'
export { authenticateForm, authenticationToken } from './controllers/decorators/authenticate-form.ts'
export {
  type CachedResponse,
  type CacheStore,
  MemoryCache,
  type MemoryCacheOptions,
} from './controllers/decorators/cache-store.ts'
export { type CachedOptions, cached } from './controllers/decorators/cached.ts'
export {
  type Decorations,
  type DecoratorFor,
  decorate,
  type MethodContext,
} from './controllers/decorators/decorate.ts'
export { dispatchOn } from './controllers/decorators/dispatch-on.ts'
export { https, type SecureUrl } from './controllers/decorators/https.ts'
export { type Jsonable, jsonify } from './controllers/decorators/jsonify.ts'
export { type RedisCacheOptions, redisCache } from './controllers/decorators/redis-cache.ts'
export { type MethodName, restrict } from './controllers/decorators/restrict.ts'
export {
  formResult,
  type ValidateArguments,
  type ValidateOptions,
  validate,
} from './controllers/decorators/validate.ts'
export { type InvalidFields, type InvalidOptions, invalid } from './controllers/forms/invalid.ts'
export type { ListField } from './http/converters/body-argument.ts'
export { type MethodFor, type MethodOutcome, signature } from './rpc/controllers/signatures.ts'
