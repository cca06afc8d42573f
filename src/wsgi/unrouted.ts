/**
 * Key in the environ that an application sets to true if none of its routes matches, so that the server can pass the request
 * on.
 */
export const UNROUTED_KEY = 'propylon.unrouted'
