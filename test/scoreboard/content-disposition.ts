/** Cases of content-disposition: names of files and the field that a download has. */
import { join } from 'node:path'
import { Request } from 'propylon'
import { sendFile } from 'propylon/files'
import { createEnviron, run, type WSGIApplication } from 'propylon/wsgi'
import { withFiles } from './folder.ts'
import { judge, type Referee } from './referee.ts'

const ROWS: readonly (readonly [filename: string, parameters: string, reason?: string])[] = [
  ['plans.pdf', 'filename=plans.pdf'],
  ['/path/to/plans.pdf', 'filename="/path/to/plans.pdf"'],
  ['\\path\\to\\plans.pdf', 'filename="\\\\path\\\\to\\\\plans.pdf"'],
  ['C:\\path\\to\\plans.pdf\\', 'filename="C:\\\\path\\\\to\\\\plans.pdf\\\\"'],
  ['/path/to/plans.pdf///', 'filename="/path/to/plans.pdf///"'],
  ['the "plans".pdf', 'filename="the \\"plans\\".pdf"'],
  ['«plans».pdf', `filename="?plans?.pdf"; filename*=UTF-8''%C2%ABplans%C2%BB.pdf`],
  [
    'the "plans" (1µ).pdf',
    `filename="the \\"plans\\" (1?).pdf"; filename*=UTF-8''the%20%22plans%22%20%281%C2%B5%29.pdf`,
  ],
  ['foo-ä.html', `filename="foo-?.html"; filename*=UTF-8''foo-%C3%A4.html`],
  ['планы.pdf', `filename="?????.pdf"; filename*=UTF-8''%D0%BF%D0%BB%D0%B0%D0%BD%D1%8B.pdf`],
  [
    '£ and € rates.pdf',
    `filename="? and ? rates.pdf"; filename*=UTF-8''%C2%A3%20and%20%E2%82%AC%20rates.pdf`,
  ],
  ["€'*%().pdf", `filename="?'*%().pdf"; filename*=UTF-8''%E2%82%AC%27%2A%25%28%29.pdf`],
  ['the%20plans.pdf', `filename=the%20plans.pdf; filename*=UTF-8''the%2520plans.pdf`],
  ['€%20£.pdf', `filename="?%20?.pdf"; filename*=UTF-8''%E2%82%AC%2520%C2%A3.pdf`],
]

export const contentDisposition: Referee = {
  name: 'content-disposition',
  version: '3.0.0 (1a542fe)',
  source: 'https://github.com/jshttp/content-disposition/tree/1a542fe19e982569c5fb0162b3a1997ad02da1fe/src',
  judges: '`sendFile` with `attachment`',
  run: () =>
    withFiles({ file: 'x' }, (folder) =>
      judge(
        ROWS.map(([filename, parameters, reason]) => ({
          name: filename,
          input: filename,
          allowed: [`attachment; ${parameters}`],
          reason,
        })),
        async (filename) => {
          const app: WSGIApplication = async (environ, start_response) => {
            const options = { filename, attachment: true }
            const response = await sendFile(Request.of(environ), join(folder, 'file'), options)
            return response.wsgi(environ, start_response)
          }
          const { headers, body } = await run(app, createEnviron())
          await body.close()
          return headers.find(([name]) => name === 'Content-Disposition')?.[1] ?? 'none'
        },
      ),
    ),
}
