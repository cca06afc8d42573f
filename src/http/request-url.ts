/**
 * The URL that a request was sent to, put together from the environ (PEP 3333, "URL Reconstruction").
 *
 * @module
 */

import { encodePath, rawPathInfo } from '../wsgi/path.ts'
import type { Environ } from '../wsgi/types.ts'

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_.])?|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?$/

/**
 * The host, and the port unless it is the scheme's own, in lower case.
 *
 * The Host header counts only when it is one: links and redirects are made of it, so text that is no host never gets
 * through. Then SERVER_NAME and SERVER_PORT take its place. Forwarding headers are not looked at: any client can
 * send them.
 */
export function hostOf(environ: Environ): string {
  const sent = typeof environ.HTTP_HOST === 'string' ? environ.HTTP_HOST.toLowerCase() : ''
  const defaultPort = environ['wsgi.url_scheme'] === 'https' ? '443' : '80'
  const match = HOST.exec(sent)
  if (match && Number(match[1] ?? 0) <= 65535) {
    return match[1] === defaultPort ? sent.slice(0, -defaultPort.length - 1) : sent
  }
  const { SERVER_NAME: name, SERVER_PORT: port } = environ
  const host = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name
  return port === '' || port === defaultPort ? host : `${host}:${port}`
}

/** The absolute URL, with the path and the query percent-encoded. */
export function urlOf(environ: Environ): string {
  const { QUERY_STRING: query } = environ
  const path = encodePath(environ.SCRIPT_NAME) + rawPathInfo(environ)
  return `${environ['wsgi.url_scheme']}://${hostOf(environ)}${path || '/'}${query === '' ? '' : `?${query}`}`
}
