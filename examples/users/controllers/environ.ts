import type { Environ, StartResponse } from 'propylon/wsgi'

const SHOWN = ['SCRIPT_NAME', 'PATH_INFO', 'QUERY_STRING', 'REQUEST_METHOD', 'CONTENT_TYPE', 'CONTENT_LENGTH']

/** Shows the request as the gateway hands it on: a plain WSGI application in a controller's place. */
export default function environ(environ: Environ, start_response: StartResponse): string[] {
  const shown = Object.entries(environ).filter(([key]) => SHOWN.includes(key) || key.startsWith('HTTP_'))
  start_response('200 OK', [
    ['content-type', 'application/json'],
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ])
  return [JSON.stringify(Object.fromEntries(shown), null, 2), '\n']
}
