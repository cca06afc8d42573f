import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeCall, encodeCall, FaultCode, XMLRPCDecodeError } from 'propylon/xmlrpc'
import { SaxesParser } from 'saxes'
import { wireValue } from './arbitrary.ts'
import { hostileCalls } from './hostile-calls.ts'

/** Returns the first error of saxes, a strict XML parser, in a document. */
function saxesError(document: string): string | undefined {
  let first: string | undefined
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    first ??= error.message
  })
  parser.write(document).close()
  return first
}

function verdict(document: string): 'ok' | number {
  try {
    decodeCall(document)
    return 'ok'
  } catch (error) {
    if (error instanceof XMLRPCDecodeError) return error.faultCode
    throw error
  }
}

/** Surrogate pairs as two references, which some clients send and XML forbids. */
const JOINED = /&#(?:x[dD][89abAB]|5[56])/

/** A processing instruction with text directly after its target, which saxes accepts and XML 1.0 §2.6 does not allow. */
const TEXT_AFTER_TARGET = /<\?[^\s?]+\?(?!>)/

function agree(document: string): void {
  const ours = verdict(document)
  const theirs = saxesError(document)
  if (ours === FaultCode.notWellFormed && !TEXT_AFTER_TARGET.test(document))
    assert.ok(theirs !== undefined, `only decodeCall refuses ${JSON.stringify(document)}`)
  if (theirs !== undefined && !JOINED.test(document)) {
    assert.notEqual(ours, 'ok', `only saxes refuses ${JSON.stringify(document)}: ${theirs}`)
  }
}

const PIECES = [
  '<',
  '>',
  '/',
  '</',
  '/>',
  '<!--',
  '-->',
  '--',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  '<?x y?>',
  '<!-- c -->',
  '&',
  ';',
  '&amp;',
  '&lt;',
  '&#65;',
  '&#x41;',
  '&#0;',
  '&#xFFFF;',
  '&foo;',
  '"',
  "'",
  '=',
  ' ',
  '\n',
  '\r',
  '\t',
  '\0',
  '\u0001',
  '\uffff',
  'ä',
  '😀',
  'a',
  'x="1"',
  ' a="b"',
  " c='d'",
  '1',
  '-',
  '<value>',
  '</value>',
  '<int>',
  '</int>',
  '<i8>',
  '<string>',
  '</string>',
  '<string/>',
  '<array>',
  '<data>',
  '</data>',
  '</array>',
  '<struct>',
  '</struct>',
  '<member>',
  '</member>',
  '<name>',
  '</name>',
  '<param>',
  '</param>',
  '<params>',
  '</params>',
  '<methodName>',
  '</methodName>',
  '<methodCall>',
  '</methodCall>',
  '<ex:nil/>',
  '<nil/>',
  '<?xml version="1.0"?>',
  ']',
  ']]',
  '!',
  '?',
] as const

const piece = fc.constantFrom(...PIECES)

describe('decodeCall and saxes', () => {
  it('agree on the table of hostile calls', () => {
    for (const { body } of hostileCalls) {
      if (typeof body === 'string' && body.length < 10_000 && !/<!DOCTYPE/.test(body)) agree(body)
    }
  })

  it('agree on calls with replaced, removed and inserted markup', () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      remove: fc.nat(6),
      piece: fc.option(piece),
    })
    fc.assert(
      fc.property(
        fc.array(wireValue, { maxLength: 3 }),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        (params, edits) => {
          let document = encodeCall('a.b', params, { allowNil: true, i8: true })
          for (const { at, remove, piece } of edits) {
            const from = Math.floor(at * document.length)
            document = document.slice(0, from) + (piece ?? '') + document.slice(from + remove)
          }
          if (document.isWellFormed()) agree(document)
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('differ on text directly after the target of a processing instruction', () => {
    const document = encodeCall('a', []).replace('<methodCall>', '<?x?y?><methodCall>')
    assert.deepEqual([verdict(document), saxesError(document)], [FaultCode.notWellFormed, undefined])
  })

  it('agree on fragments of markup in a value', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        agree(
          `<methodCall><methodName>a</methodName><params><param><value>${pieces.join('')}</value></param></params></methodCall>`,
        )
      }),
      { numRuns: 5000 },
    )
  })

  it('agree on fragments of markup alone', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => agree(pieces.join(''))),
      { numRuns: 2000 },
    )
  })
})
