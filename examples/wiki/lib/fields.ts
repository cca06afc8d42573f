import * as v from 'valibot'
import { checkContent, checkTitle } from '../model/page-rules.ts'
import { checkName, checkPassword } from '../model/users.ts'

const text = v.string('must be text')

/** Returns a check by a rule of the model, which returns a message for a text that is wrong. */
const rule = (check: (text: string) => string | undefined) =>
  v.check<string, (issue: v.CheckIssue<string>) => string>(
    (value) => check(value) === undefined,
    ({ input }) => check(input) ?? '',
  )

const title = v.pipe(
  text,
  v.transform((value) => value.normalize('NFC')),
  rule(checkTitle),
)

const content = v.pipe(
  text,
  v.transform((value) => value.replace(/\r\n?/g, '\n')),
  rule(checkContent),
)

const integer = v.union(
  [v.pipe(v.number(), v.integer()), v.pipe(v.string(), v.regex(/^-?\d+$/), v.transform(Number))],
  'must be an integer',
)

const anyText = v.optional(text, '')
const REQUIRED = 'must be given'

/** The fields of a new page. */
export const NewPage = v.object({ title, content }, REQUIRED)
export type NewPage = v.InferOutput<typeof NewPage>

/** The fields of a changed page. `version` is the version that was edited. */
export const ChangedPage = v.object({ content, version: integer }, REQUIRED)
export type ChangedPage = v.InferOutput<typeof ChangedPage>

/** The fields of a new user. */
export const NewUser = v.object(
  { name: v.pipe(text, rule(checkName)), password: v.pipe(text, rule(checkPassword)) },
  REQUIRED,
)
export type NewUser = v.InferOutput<typeof NewUser>

/** The fields of the login. */
export const Login = v.object({ name: anyText, password: anyText, remember: anyText, next: anyText })
export type Login = v.InferOutput<typeof Login>
