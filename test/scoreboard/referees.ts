/** The referees that need nothing but the checkout. */
import { contentDisposition } from './content-disposition.ts'
import { cookie } from './cookie.ts'
import { fresh } from './fresh.ts'
import { http11 } from './http11.ts'
import { negotiator } from './negotiator.ts'
import { rackLint } from './rack-lint.ts'
import { rangeParser } from './range-parser.ts'
import type { Referee } from './referee.ts'
import { wsgiref } from './wsgiref.ts'

export const QUICK: readonly Referee[] = [
  http11,
  wsgiref,
  rackLint,
  negotiator,
  fresh,
  rangeParser,
  cookie,
  contentDisposition,
]
