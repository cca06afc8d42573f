/**
 * The gateway on Node: applications served by node:http, and Express-style handlers as applications.
 *
 * @module
 */

export type { ForwardOptions } from '../proxy/forward.ts'
export { forwardTo } from '../proxy/forward-by-node.ts'
export {
  type ConnectAdditions,
  type ConnectApplication,
  type ConnectHandler,
  connectRequest,
  fromConnect,
  type HandlerMethod,
} from './connect.ts'
export type { CloseOptions, ServerHandle } from './handle.ts'
export type { AddressOptions } from './listen.ts'
export { type ListenerOptions, type RequestListener, toListener } from './listener.ts'
export { type ServeOptions, serve } from './serve.ts'
export { type ServeWorkersOptions, serveWorkers } from './workers.ts'
