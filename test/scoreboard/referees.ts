/** The referees that need nothing but the checkout. */
import { busboy } from './busboy.ts'
import { compression } from './compression.ts'
import { contentDisposition } from './content-disposition.ts'
import { cookie } from './cookie.ts'
import { cors } from './cors.ts'
import { express } from './express.ts'
import { fresh } from './fresh.ts'
import { http11 } from './http11.ts'
import { accepts, negotiator } from './negotiator.ts'
import { rackLint } from './rack-lint.ts'
import { rangeParser } from './range-parser.ts'
import type { Referee, SiteReferee } from './referee.ts'
import { sent } from './send.ts'
import { validator1 } from './validator1.ts'
import { werkzeug } from './werkzeug.ts'
import { wsgiref } from './wsgiref.ts'

/** Those that judge other frameworks as well. */
export const ON_SITES: readonly SiteReferee[] = [
  http11,
  sent,
  rangeParser,
  negotiator,
  accepts,
  cors,
  compression,
  busboy,
  werkzeug,
]

export const QUICK: readonly Referee[] = [
  ...ON_SITES,
  fresh,
  cookie,
  contentDisposition,
  wsgiref,
  rackLint,
  express,
  validator1,
]
