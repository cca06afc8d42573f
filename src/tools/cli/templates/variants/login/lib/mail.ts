// Mail that the site sends.
import type { Request } from 'propylon'
import { createToken } from '../model/tokens.ts'

/** A message to send. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail: prints it in development. Before you go into production, let `send` call your service, for instance nodemailer. */
export const mailer: { send(mail: Mail): Promise<unknown> } = {
  async send({ to, subject, text }) {
    if (process.env.NODE_ENV === 'production') throw new Error('lib/mail.ts does not send mail yet')
    console.log(`Mail to ${to}: ${subject}\n${text}`)
  },
}

/** The mails with a link, by the kind of its token. */
const LINKS = {
  confirm: ['Your address', 'Confirm your address within a week:'],
  reset: ['Your password', 'Set a new password within an hour. If you did not ask for this, ignore it.'],
} as const

/** Sends a user a link with a token. Sends none if there is no such user, or if the user has three already. */
export async function sendLink(
  kind: keyof typeof LINKS,
  owner: Parameters<typeof createToken>[1],
  path: string,
  request: Request,
): Promise<void> {
  const { NODE_ENV, ORIGIN } = process.env
  // In production the host does not come from the request, where a client can choose it.
  if (!ORIGIN && NODE_ENV === 'production') throw new Error('ORIGIN is not set, so no link can be sent')
  const link = await createToken(kind, owner)
  if (link === undefined) return
  const [subject, text] = LINKS[kind]
  const { href } = new URL(`${path}?token=${link.token}`, ORIGIN || request.url)
  await mailer.send({ to: link.email, subject, text: `${text}\n\n${href}\n` })
}
