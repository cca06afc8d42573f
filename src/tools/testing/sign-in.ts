import type { SessionName, SessionValueOf } from '../../http/sessions/data.ts'
import type { Environ, WSGICallable } from '../../wsgi/types.ts'

/** Values of a session by name. */
export type SignInValues = { readonly [Name in SessionName]?: SessionValueOf<Name> }

/**
 * Sets values of the session of a request, and returns the cookies that the application answers with.
 *
 * @throws TypeError, as a rejection - the application is not a FrameworkApp, or a value is not JSON.
 * @throws Error, as a rejection - the application has no sessions.
 */
export async function setSession(
  app: WSGICallable,
  environ: Environ,
  values: SignInValues,
): Promise<readonly string[]> {
  // Loaded here, so that importing propylon/testing does not load the framework.
  const { isFrameworkApp } = await import('../../app/is-framework-app.ts')
  const { Response } = await import('../../http/response.ts')
  if (!isFrameworkApp(app)) {
    throw new TypeError('signIn() requires the sessions of a FrameworkApp. Pass one to new TestApp().')
  }
  await app.loadSession(environ)
  const session = app.openSession(environ)
  // An application may declare the names of its values, and the compiler has no type for each of them.
  const names = Object.keys(values) as SessionName[]
  for (const name of names) {
    const value = values[name]
    if (value !== undefined) session.set(name, value)
  }
  const response = new Response()
  await app.saveSession(session, environ, response)
  return response.headers.getAll('set-cookie')
}
