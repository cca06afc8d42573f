import { staticFiles } from 'propylon/files'

/** Serves the style sheet of created projects, which the examples share. A controller can be a plain WSGI application. */
export default staticFiles(new URL('../../../src/tools/cli/templates/project/public/', import.meta.url))
