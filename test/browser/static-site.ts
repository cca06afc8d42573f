import { FrameworkApp, Mapper } from 'propylon'
import { staticFiles } from 'propylon/files'
import type { WSGIApplication } from 'propylon/wsgi'

/** Returns an application that serves a directory of pages: `/guides/` is `guides/index.html`. */
export function siteOf(directory: string): FrameworkApp {
  const files = staticFiles(directory)
  const pages: WSGIApplication = (environ, start_response) => {
    if (environ.PATH_INFO.endsWith('/')) environ.PATH_INFO += 'index.html'
    return files(environ, start_response)
  }
  return new FrameworkApp({
    map: new Mapper().connect('/{path_info:.*}', { controller: 'pages' }),
    controllers: { pages },
  })
}
