// Mail that the site sends.
import type { Request } from 'propylon'

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

/** Returns a URL of this site for a mail. In production its host does not come from the request, where a client can choose it. */
export function siteUrl(path: string, request: Request): string {
  const { NODE_ENV, ORIGIN } = process.env
  if (!ORIGIN && NODE_ENV === 'production') throw new Error('ORIGIN is not set, so no link can be sent')
  return new URL(path, ORIGIN || request.url).href
}
