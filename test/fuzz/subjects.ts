/** All subjects, in the order in which they run. */
import type { Subject } from './property.ts'
import { clients } from './subjects/clients.ts'
import { conditional } from './subjects/conditional.ts'
import { cookies } from './subjects/cookies.ts'
import { events } from './subjects/event-stream.ts'
import { forms } from './subjects/forms.ts'
import { mapper } from './subjects/mapper.ts'
import { negotiation } from './subjects/negotiation.ts'
import { proxies } from './subjects/proxies.ts'
import { requests } from './subjects/requests.ts'
import { responses } from './subjects/responses.ts'
import { rpc } from './subjects/rpc.ts'
import { sessions } from './subjects/sessions.ts'
import { files } from './subjects/static-files.ts'
import { templates } from './subjects/templates.ts'
import { xmlrpc } from './subjects/xmlrpc.ts'

export const subjects: readonly Subject[] = [
  requests,
  responses,
  clients,
  mapper,
  negotiation,
  cookies,
  conditional,
  files,
  forms,
  sessions,
  proxies,
  events,
  templates,
  rpc,
  xmlrpc,
]
