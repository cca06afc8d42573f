import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'

/** Answers of Odoo 17, by method and a word of the call. Others are the fault of a wrong call. */
const ANSWERS: readonly (readonly [call: RegExp, answer: string])[] = [
  [
    /<methodName>authenticate<.*<string>shop<.*<string>joe@odoo\.test<.*<string>secret</s,
    '<params><param><value><int>2</int></value></param></params>',
  ],
  [/<methodName>authenticate</, '<params><param><value><boolean>0</boolean></value></param></params>'],
  [
    /<int>2<.*<string>secret<.*<string>res\.partner<.*<string>search_read<.*is_company.*<name>limit<\/name><value><int>5</s,
    '<params><param><value><array><data><value><struct><member><name>id</name><value><int>10</int></value></member><member><name>name</name><value><string>Deco Addict</string></value></member><member><name>email</name><value><boolean>0</boolean></value></member></struct></value></data></array></value></param></params>',
  ],
]
const FAULT =
  '<fault><value><struct><member><name>faultCode</name><value><int>3</int></value></member><member><name>faultString</name><value><string>Access Denied</string></value></member></struct></value></fault>'

/** Returns a server with recorded answers of Odoo. It does not listen yet. */
export function recordedOdoo(): Server {
  return createServer(async (request, response) => {
    const call = await text(request)
    const answer = ANSWERS.find(([pattern]) => pattern.test(call))?.[1] ?? FAULT
    response.setHeader('Content-Type', 'text/xml')
    response.end(`<?xml version='1.0'?>\n<methodResponse>${answer}</methodResponse>`)
  })
}
