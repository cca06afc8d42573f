import { WSGIController } from 'propylon'

/**
 * Base class of all controllers of this application.
 *
 * `__before__` runs before every action, `__after__` after it. Methods that begin with an underscore cannot be reached
 * from a URL.
 */
export class BaseController extends WSGIController {}
