import { BaseController } from '../lib/base.ts'

const books = [
  { title: 'Walden', copies: 3 },
  { title: 'Emma, a novel', copies: 1 },
]

/** Exports reports. */
export class ReportsController extends BaseController {
  /** GET /reports/export */
  export() {
    this.response.contentType = 'text/csv'
    this.response.headers.set('Content-Disposition', 'attachment; filename=books.csv')
    const lines = books.map(({ title, copies }) => `${title.includes(',') ? `"${title}"` : title},${copies}`)
    return ['title,copies', ...lines, ''].join('\r\n')
  }
}
