import type { Environ, StartResponse } from 'propylon/wsgi'

const STANDARD_KEYS = ['SCRIPT_NAME', 'PATH_INFO', 'QUERY_STRING', 'REQUEST_METHOD', 'CONTENT_TYPE', 'CONTENT_LENGTH']

/** Shows the request's environ. A controller can be a plain WSGI application, such as this one. */
export default function environ(environ: Environ, start_response: StartResponse): string[] {
  const variables = Object.entries(environ).filter(([key]) => STANDARD_KEYS.includes(key) || key.startsWith('HTTP_'))
  start_response('200 OK', [
    ['content-type', 'application/json'],
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ])
  return [JSON.stringify(Object.fromEntries(variables), null, 2), '\n']
}
