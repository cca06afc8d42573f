import { builtin } from '../../base/builtin.ts'

/**
 * The module node:http. Its import would read each export of it, and some of them load undici, node:crypto and
 * node:zlib when they are read, which takes as long as loading the framework.
 */
export const http = builtin('node:http')
