/** A message to send. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * Sends mail. Without a service the text is printed in development. Before you go into production, let `send` call your
 * service, for instance nodemailer:
 *
 *     mailer.send = (mail) => transport.sendMail({ from: 'site@example.com', ...mail })
 */
export const mailer: { send(mail: Mail): Promise<unknown> } = {
  async send({ to, subject, text }) {
    if (process.env.NODE_ENV === 'production') throw new Error('lib/mail.ts does not send mail yet')
    console.log(`Mail to ${to}: ${subject}\n${text}`)
  },
}
