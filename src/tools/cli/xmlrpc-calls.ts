/**
 * The work of `propylon xmlrpc`: lists, documents and calls the methods of a service.
 *
 * @module
 */

import { resolve } from 'node:path'
import { argument, type Context, type ParsedArguments } from '../../base/command-line/command.ts'
import { CommandError, didYouMean, oneLine, quoted, UsageError } from '../../base/command-line/command-errors.ts'
import { print } from '../../base/command-line/terminal.ts'
import { isRecord } from '../../base/record.ts'
import { nearest } from '../../base/suggest.ts'
import { isMethodName } from '../../rpc/xmlrpc/characters.ts'
import * as xmlrpc from '../../rpc/xmlrpc/index.ts'
import { parseI8 } from '../../rpc/xmlrpc/scalars.ts'
import { readNamedFile } from './named-files.ts'
import { wholeNumber } from './option-values.ts'

/** Runs `propylon xmlrpc`. */
export async function runXMLRPC(parsed: ParsedArguments, context: Context): Promise<number> {
  const client = clientOf(parsed, context.env)
  const act = actionOf(parsed, context)
  try {
    print(context, ...(await act(client)))
    return 0
  } catch (error) {
    if (error instanceof xmlrpc.Fault) throw new CommandError(oneLine(`fault ${error.faultCode}: ${error.faultString}`))
    throw error instanceof xmlrpc.XMLRPCError ? new CommandError(oneLine(error.message)) : error
  }
}

/** @throws UsageError - the URL or an option of the connection is malformed. */
function clientOf(parsed: ParsedArguments, env: Context['env']): xmlrpc.XMLRPCClientMethods {
  const address = argument(parsed, 0)
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // Also a URL that cannot be parsed may have a password.
    const shown = quoted(address.replace(/\/\/[^/?#]*@/, '//'))
    const fix = "write one like 'http://127.0.0.1:5000/demo'"
    throw new UsageError(`${shown} is not the URL of a service`, fix)
  }
  // The list of processes shows the URL, but not the environment.
  if (url.username !== '') url.password ||= encodeURIComponent(env.PROPYLON_RPC_PASSWORD ?? '')
  const limit = parsed.value('timeout') ?? '60000'
  const timeout = wholeNumber(limit, 'a time limit in milliseconds', 1, 2 ** 31 - 1)
  const headers = Object.fromEntries(parsed.values('header').map(headerOf))
  return new xmlrpc.XMLRPCClient(url, { headers, timeout, allowNil: true, i8: true })
}

function headerOf(text: string): [name: string, value: string] {
  const [, name = '', value] = /^([!#$%&'*+.^_`|~\w-]+):([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? []
  if (value !== undefined) return [name, value]
  throw new UsageError(`${quoted(text)} is not a header`, "write one like 'X-Token: abc'")
}

/** Work with a service. Returns the lines to print. */
type Action = (client: xmlrpc.XMLRPCClientMethods) => Promise<readonly string[]>

/**
 * Reads the words after the URL: the name of an action and its arguments.
 *
 * @throws UsageError - there is no such action, or its arguments are wrong.
 */
function actionOf(parsed: ParsedArguments, { cwd }: Context): Action {
  const [action = 'list', method, ...words] = parsed.arguments.slice(1)
  const surplus = action === 'list' ? method : action === 'help' ? words[0] : undefined
  if (surplus !== undefined)
    throw new UsageError(`'${action}' takes no argument ${quoted(surplus)}`, "see 'propylon xmlrpc --help'")
  if (action === 'list') return async (client) => (await client.listMethods()).map(oneLine)
  if (action !== 'help' && action !== 'call') {
    const fix = didYouMean(nearest(action, ['list', 'help', 'call']), 'choose one of list, help, call')
    throw new UsageError(`'propylon xmlrpc' has no action ${quoted(action)}`, fix)
  }
  const usage = action === 'call' ? 'call METHOD ARG...' : 'help METHOD'
  if (method === undefined) throw new UsageError(`'${action}' needs a method`, `write ${usage}`)
  if (!isMethodName(method)) throw new UsageError(`${quoted(method)} is not a method name`, `write ${usage}`)
  if (action === 'help') return (client) => helpOf(client, method)
  const values = words.map((word) => wordValue(word, cwd))
  return async (client) => [jsonText(await client.call(method, ...values))]
}

/** Returns the signatures of a method, with the types of XML-RPC, and its documentation. */
async function helpOf(client: xmlrpc.XMLRPCClientMethods, method: string): Promise<string[]> {
  const help = await client.methodHelp(method)
  const signatures = await client.methodSignature(method).catch((error: unknown) => {
    if (error instanceof xmlrpc.Fault || error instanceof xmlrpc.XMLRPCProtocolError) return null
    throw error
  })
  const lines = signatures?.map(([result, ...types]) => `${method}(${types.join(', ')}): ${result}`)
  // Servers repeat the signatures in the last line of the documentation.
  const text = help.replace(/\s*^Method signature: .*\s*$(?![\s\S])/m, '').trim()
  return [...(lines ?? [`${method}(...)`]), ...(text === '' ? [] : ['', text])]
}

/** Reads a text as a value of a type. Returns undefined or throws if it is none. */
type Read = (text: string, cwd: string) => xmlrpc.Encodable | undefined
/** A type of words: its reader, the noun of its texts, and how to write one. */
type WordType = readonly [read: Read, noun: string, fix: string]

const JSON_WORD: WordType = [jsonOf, 'valid JSON', 'quote it for the shell, which removes quotation marks']

/** Types of words with a type in front (`i8:5`), for values that JSON does not have. */
const TYPES: Readonly<Record<string, WordType>> = {
  string: [(text) => text, 'text', 'write any text'],
  i8: [parseI8, 'an integer of 64 bits', 'write one like i8:5'],
  base64: [base64Of, 'base64', 'write base64:AQID, or base64:@FILE for the bytes of a file'],
  date: [dateOf, 'a date and time', 'write one like date:2026-01-31T12:00:00'],
}
const TYPED = new RegExp(`^(${Object.keys(TYPES).join('|')}):(.*)$`, 's')

/**
 * Reads a word as a value: a type and its text (`i8:5`), JSON, or plain text if it does not begin as JSON. A number
 * with a point or an exponent is a double. An integer beyond 32 bits is a bigint, which is sent as `<i8>`.
 *
 * @throws UsageError - the text is not valid for its type, or begins as JSON and is not valid JSON.
 */
function wordValue(word: string, cwd: string): xmlrpc.Encodable {
  const [, type, text = word] = TYPED.exec(word) ?? []
  const [read, noun, fix] = TYPES[type ?? ''] ?? JSON_WORD
  try {
    const value = read(text, cwd)
    if (value !== undefined) return value
  } catch (error) {
    if (error instanceof UsageError) throw error
  }
  if (type === undefined && !/^\s*["[{]/.test(word)) return word
  throw new UsageError(`${quoted(text)} is not ${noun}`, fix)
}

function jsonOf(text: string): xmlrpc.Encodable {
  return JSON.parse(text, (_name, value: unknown, ...[context]: readonly unknown[]) => {
    if (typeof value !== 'number') return value
    const source = isRecord(context) ? String(context.source) : String(value)
    if (!/[.eE]/.test(source)) return value === (value | 0) ? value : BigInt(source)
    if (Number.isFinite(value)) return xmlrpc.double(value)
    throw new UsageError(`${quoted(source)} is beyond the range of doubles`, 'write text as string:TEXT')
  })
}

function base64Of(text: string, cwd: string): xmlrpc.Binary {
  if (!text.startsWith('@')) return xmlrpc.Binary.fromBase64(text)
  const file = text.slice(1)
  const fix = 'write base64:@ and the path of a file'
  const bytes = readNamedFile(resolve(cwd, file), `the file ${quoted(file)}`, fix, 'latin1')
  return new xmlrpc.Binary(Buffer.from(bytes, 'latin1'))
}

function dateOf(text: string): xmlrpc.DateTime {
  const date = new xmlrpc.DateTime(/^\d{4}-?\d{2}-?\d{2}$/.test(text) ? `${text}T00:00:00` : text)
  // The form of the specification, which every server reads, with the zone if there is one.
  return new xmlrpc.DateTime(`${date}${/(?:Z|[+-]\d{2}(?::?\d{2})?)$/.exec(text.slice(10))?.[0] ?? ''}`)
}

/** Formats a result as JSON. Numbers that JSON does not have are text. */
function jsonText(result: xmlrpc.Value): string {
  const asJSON = (_name: string, value: unknown) => {
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
    const isNumber = typeof value === 'bigint' || typeof value === 'number'
    return isNumber && !Number.isFinite(value) ? String(value) : value
  }
  return JSON.stringify(result, asJSON, 2)
}
