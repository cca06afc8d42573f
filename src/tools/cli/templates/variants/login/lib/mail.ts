// Mail that the site sends.
import { createToken } from '../model/tokens.ts'
import type { Owner } from '../model/users.ts'
import type { Visitor } from './visitor.ts'

export type Mail = { to: string; subject: string; text: string }

/** Sends mail: prints it in development. Before production, let `send` call your service, for instance nodemailer. */
export const mailer = {
  async send({ to, subject, text }: Mail): Promise<void> {
    if (process.env.NODE_ENV === 'production') throw new Error('lib/mail.ts does not send mail yet')
    console.log(`Mail to ${to}: ${subject}\n${text}`)
  },
}

/** The mails with a link, by the kind of its token, which is the name of the route too. */
const LINKS = {
  confirm: { subject: 'Your address', text: 'Confirm your address within a week:' },
  reset: {
    subject: 'Your password',
    text: 'Set a new password within an hour. If you did not ask for this, ignore it.',
  },
} as const

/** Sends a user a link with a token. Sends none if there is no such user, or if the user has three already. */
export async function sendLink(kind: keyof typeof LINKS, owner: Owner, visitor: Visitor): Promise<void> {
  const { NODE_ENV, ORIGIN } = process.env
  // In production the host does not come from the request, where a client can choose it.
  if (!ORIGIN && NODE_ENV === 'production') throw new Error('ORIGIN is not set, so no link can be sent')
  const { token, email } = (await createToken(kind, owner)) ?? {}
  if (email === undefined) return
  const { href } = new URL(visitor.url(kind, {}, { query: { token } }), ORIGIN || visitor.request.url)
  const { subject, text } = LINKS[kind]
  await mailer.send({ to: email, subject, text: `${text}\n\n${href}\n` })
}
