/**
 * The gateway on Node: applications served by node:http, and Express-style handlers as applications.
 *
 * @module
 */
export { type ConnectHandler, fromConnect } from './connect.ts'
export { type ListenerOptions, toListener } from './listener.ts'
export { type ServeOptions, type ServerHandle, serve } from './serve.ts'
