/**
 * Decorators for actions. Each is a standard method decorator that {@link decorate} can apply too.
 *
 * @module
 */
export { type Decorations, type DecoratorFor, decorate, type MethodContext } from './decorate.ts'
export { type MethodFor, signature } from './signature.ts'
