import * as v from 'valibot'

/** A name stands in paths as it is: it needs no escaping, and no suffix of it is taken for a format. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const RESERVED = /^new$|\.(html|json)$/

/**
 * What one line of text may not hold: controls (NUL, line breaks …), separators of lines, halves of characters, and
 * what stands where bytes were no text.
 */
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\uFFFD]/u

/** The part before the @ is made of words with single dots between them (RFC 5321 §4.1.2, Dot-string). */
const DOT_STRING = /^[^.@]+(\.[^.@]+)*@/

/** What a field is told that came twice, or as a file. */
const ONCE = 'must be given once, as text'

/** Whether a text has the form of a user's name. */
export function isUserName(text: string): boolean {
  return NAME.test(text) && !RESERVED.test(text)
}

const name = v.pipe(
  v.string(ONCE),
  v.nonEmpty('must be given'),
  v.regex(
    NAME,
    'must begin with a letter or digit and have at most 64 letters, digits, dots, dashes and underscores',
  ),
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

/** What a new user must be. Each message says what to do and reads on from the field's name. */
export const userForm = v.object({ name, full_name: fullName, email, password }, 'must be given')

/** What a changed user must be: as a new one, but no password means the old one. */
export const userUpdateForm = v.object(
  {
    name,
    full_name: fullName,
    email,
    password: v.optional(v.lazy((input) => (input === '' ? v.literal('') : password))),
  },
  'must be given',
)
