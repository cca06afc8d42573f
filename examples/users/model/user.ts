import * as v from 'valibot'

/** Pattern of user names. A name is part of URLs, so it has only characters that need no percent-encoding. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** Names that the routes of `/users/new` and of formats such as `/users/ann.json` would match. */
const RESERVED = /^new$|\.(html|json)$/

/**
 * Characters that are not allowed in one line of text: controls (NUL, line breaks …), line and paragraph separators, lone
 * surrogates, and the replacement character that a decoder inserts for invalid bytes.
 */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\uFFFD]/u

/** Words with single dots between them before the @ (RFC 5321 §4.1.2, Dot-string). */
const DOT_STRING = /^[^.@]+(\.[^.@]+)*@/

/** Message for a field that was sent twice or as a file. */
const ONCE = 'must be given once, as text'

/** Returns true if a text is a valid user name. */
export function isUserName(text: string): boolean {
  return NAME.test(text) && !RESERVED.test(text)
}

const name = v.pipe(
  v.string(ONCE),
  v.nonEmpty('must be given'),
  v.regex(NAME, 'must begin with a letter or digit and have at most 64 letters, digits, dots, dashes and underscores'),
  v.check(isUserName, 'must not be new and must not end in .html or .json'),
)

const fullName = v.pipe(
  v.string(ONCE),
  v.trim(),
  v.nonEmpty('must be given'),
  v.maxCodePoints(200, 'must have at most 200 characters'),
  v.check((text) => !NOT_IN_A_LINE.test(text), 'must be one line of text'),
)

const email = v.pipe(
  v.string(ONCE),
  v.trim(),
  v.nonEmpty('must be given'),
  v.maxLength(254, 'must have at most 254 characters'),
  v.rfcEmail('must be an e-mail address like joe@example.org'),
  v.regex(DOT_STRING, 'must be an e-mail address like joe@example.org'),
)

const password = v.pipe(
  v.string(ONCE),
  v.nonEmpty('must be given'),
  v.minCodePoints(8, 'must have at least 8 characters'),
  v.maxCodePoints(1024, 'must have at most 1024 characters'),
  v.check((text) => !/[\0\p{Cs}\uFFFD]/u.test(text), 'must be text'),
)

/** Schema of a new user. Each message completes a sentence that starts with the field's name. */
export const userForm = v.object({ name, full_name: fullName, email, password }, 'must be given')

/** Schema of a changed user. An empty or missing password keeps the old one. */
export const userUpdateForm = v.object(
  {
    name,
    full_name: fullName,
    email,
    password: v.optional(v.lazy((input) => (input === '' ? v.literal('') : password))),
  },
  'must be given',
)
