/**
 * `propylon shadow`: replays recorded requests against an old and a new server, and reports the differences.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { argument, type Command, type ParsedArguments } from '../../../base/command-line/command.ts'
import { quoted, UsageError } from '../../../base/command-line/command-errors.ts'
import { print, styled } from '../../../base/command-line/terminal.ts'
import { wholeNumber } from '../option-values.ts'

/** `propylon shadow FILE --old URL --new URL` */
export const shadow: Command = {
  name: 'shadow',
  summary: 'Compare an old and a new server by recorded requests',
  arguments: [{ name: 'FILE', summary: "A HAR file, or what forwardTo(url, { record: 'FILE' }) wrote" }],
  options: {
    old: { value: 'URL', summary: 'The old server' },
    new: { value: 'URL', summary: 'The new server' },
    ignore: {
      value: 'RULE',
      summary: 'path:GLOB, header:NAME, json:PATH, html:SELECTOR or text:REGEX; repeatable',
    },
    header: { value: 'FIELD', summary: "Send a field, for instance 'Cookie: a=1'; repeatable" },
    unsafe: { summary: 'Send POST, PUT, PATCH and DELETE too, to both servers' },
    concurrency: { value: 'N', summary: 'Requests at once (default: 4)' },
    timeout: { value: 'SECONDS', summary: 'Time for a response (default: 30)' },
    json: { summary: 'Print a line of JSON for each request that differs' },
  },
  details: [
    'Compares the status, the header fields that matter, the names and attributes of cookies, and the body. HTML is\ncompared without comments, order of attributes and white space, JSON without order of members. Each server is\nnamed {origin} in texts. Redirects are not followed.',
    'If a response differs, the old server is asked again. Text that changes between its own responses,\nsuch as a clock, does not count. Nonces and tokens of forms are not compared.',
    'The exit status is 1 if a request differs. HTML needs the package parse5, rules with html: also css-select.',
  ],
  examples: [
    'propylon shadow requests.jsonl --old http://127.0.0.1:8000 --new http://127.0.0.1:5000',
    "propylon shadow site.har --old https://old.example --new http://127.0.0.1:5000 --ignore 'html:.clock'",
  ],
  async run(parsed, context) {
    const file = resolve(context.cwd, argument(parsed, 0))
    if (!existsSync(file))
      throw new UsageError(`${quoted(argument(parsed, 0))} does not exist`, 'name a HAR file or a record')
    const { readRequests } = await import('../../shadow/requests.ts')
    const { replay } = await import('../../shadow/replay.ts')
    const { rulesOf } = await import('../../shadow/rules.ts')
    const { targetAt } = await import('../../shadow/send.ts')
    const timeout = numberOf(parsed, 'timeout', '30') * 1000
    const headers = new Map(parsed.values('header').map(headerOf))
    const target = (name: 'old' | 'new') => targetAt(urlOf(parsed, name), headers, timeout)
    const counts = await replay(readRequests(file), {
      old: target('old'),
      fresh: target('new'),
      rules: rulesOf(parsed.values('ignore')),
      unsafe: parsed.flag('unsafe'),
      concurrency: numberOf(parsed, 'concurrency', '4'),
      report({ method, target: path }, differences) {
        if (parsed.flag('json')) {
          print(context, JSON.stringify({ method, url: path, differences }))
          return
        }
        print(context, styled('cyan', `${method} ${path}`))
        for (const { where, old, new: fresh } of differences.slice(0, MAX_SHOWN)) {
          print(context, `  ${where}: ${old} → ${fresh}`)
        }
        if (differences.length > MAX_SHOWN) print(context, `  and ${differences.length - MAX_SHOWN} more`)
      },
    })
    const { equal, different, skipped } = counts
    if (!parsed.flag('json')) print(context, `${equal} equal, ${different} different, ${skipped} not sent`)
    return different === 0 ? 0 : 1
  },
}

/** Maximum number of differences that are shown for a request. */
const MAX_SHOWN = 10

/** @throws UsageError - the option is missing or not the URL of a server. */
function urlOf(parsed: ParsedArguments, name: 'old' | 'new'): URL {
  const text = parsed.value(name)
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url
  throw new UsageError(
    text === undefined ? `--${name} is missing` : `--${name} ${quoted(text)} is not the URL of a server`,
    `for instance --${name} http://127.0.0.1:8000`,
  )
}

function numberOf(parsed: ParsedArguments, name: string, byDefault: string): number {
  return wholeNumber(parsed.value(name) ?? byDefault, `a number for --${name}`, 1, 9999)
}

/** @throws UsageError - the text is not a header field. */
function headerOf(text: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(text) ?? []
  if (name !== '' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return [name.toLowerCase(), value.trim()]
  throw new UsageError(`${quoted(text)} is not a header`, "write one like 'X-Token: abc'")
}
