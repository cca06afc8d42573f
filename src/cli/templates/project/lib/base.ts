import { WSGIController } from 'propylon'

/**
 * What all controllers of this application share.
 *
 * A `__before__` here runs ahead of every action, an `__after__` behind it. Methods that begin with an underscore cannot be
 * reached from a URL.
 */
export class BaseController extends WSGIController {}
