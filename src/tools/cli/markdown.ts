/**
 * Shows Markdown in a terminal, as the documentation is written: headings, paragraphs, lists, quotes, tables and blocks of code.
 *
 * @module
 */

import { type Cell, type Line, styled, width } from '../../base/command-line/terminal.ts'

/** Code, bold and emphasized text, and links with their destinations. */
const SPANS = /(`+)(.+?)\1|\*\*(.+?)\*\*|(?<![\w*])\*([^\s*][^*]*?)\*(?![\w*])|\[([^\]]+)\]\(([^)\s]+)\)/g

/** The beginning of a line of a list or a quote: it stays, and the lines that follow are indented below the text. */
const MARKER = /^(\s*)([-*]|\d+\.|>)\s+/

/** Returns the lines of a page, at most `columns` wide where its text can be broken. */
export function markdownLines(text: string, columns: number): Line[] {
  const lines = text.split('\n')
  const shown: Line[] = []
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at)
    shown.push(...linesOf(block, columns))
    at += block.length
  }
  return shown
}

/** Returns the lines of the block that begins at a line. */
function blockAt(lines: readonly string[], at: number): string[] {
  const first = lines[at] ?? ''
  const fence = /^\s*(`{3,})/.exec(first)?.[1]
  if (fence !== undefined) {
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence)
    return lines.slice(at, end === -1 ? lines.length : end + 1)
  }
  const belongs = (line: string) =>
    first.startsWith('|') ? line.startsWith('|') : /^\s*[^\s#|`]/.test(line) && !MARKER.test(line)
  const isAlone = first.trim() === '' || first.startsWith('#')
  const end = isAlone ? at + 1 : lines.findIndex((line, index) => index > at && !belongs(line))
  return lines.slice(at, end === -1 ? lines.length : end)
}

function linesOf(block: readonly string[], columns: number): Line[] {
  const [first = ''] = block
  if (first.trim() === '') return ['']
  const heading = /^(#{1,6}) (.+)$/.exec(first)
  if (heading !== null) return [[styled('dim', `${heading[1]} `), styled('bold', plain(heading[2] ?? ''))]]
  if (/^\s*```/.test(first))
    return block.slice(1, -1).map((line) => (line === '' ? '' : ['  ', styled('green', line)]))
  if (first.startsWith('|')) return tableLines(block, columns)
  const [marker = '', indent = '', sign = ''] = MARKER.exec(first) ?? []
  const shownSign = sign === '>' ? '│' : sign === '-' || sign === '*' ? '•' : sign
  const before = marker === '' ? (/^\s*/.exec(first)?.[0] ?? '') : `${indent}${shownSign} `
  const text = block.map((line) => line.trim().replace(/^> ?/, '')).join(' ')
  const words = wordsOf(sign === '>' ? text : text.slice(marker.trimStart().length))
  const rest = sign === '>' ? before : ' '.repeat(before.length)
  return broken(words, columns - before.length).map((line, index) => [index === 0 ? before : rest, ...line])
}

/** Returns the rows of a table in columns. The last column is broken to the width that the others leave. */
function tableLines(block: readonly string[], columns: number): Line[] {
  const rows = block
    .filter((line) => !/^\|[\s|:-]+\|$/.test(line))
    .map((line) => line.replace(/^\||\|$/g, '').split(/(?<!\\)\|/))
    .map((row) => row.map((cell) => wordsOf(cell.trim().replaceAll('\\|', '|'))))
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(spaced(row[column] ?? [])))),
  )
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0)
  return rows.flatMap((row, index) => {
    const cells = row.map(spaced)
    const start = cells
      .slice(0, -1)
      .flatMap((cell, column) => [...cell, ' '.repeat((widths[column] ?? 0) - widthOf(cell) + 2)])
    const last = broken(row.at(-1) ?? [], Math.max(columns - before, 30))
    const lines = last.length === 0 ? [[]] : last
    return lines.map((line, place): Line => {
      const shown = place === 0 ? [...start, ...line] : [' '.repeat(before), ...line]
      return index === 0 ? shown.map(asHeading) : shown
    })
  })
}

function asHeading(cell: Cell): Cell {
  return typeof cell === 'string' && cell.trim() !== '' ? styled('bold', cell) : cell
}

/** A word: cells without a blank between them. */
type Word = readonly Cell[]

/** Returns the words of a text, with the styles of its spans. */
function wordsOf(text: string): Word[] {
  const words: Cell[][] = [[]]
  for (const cell of cellsOf(text)) {
    const content = typeof cell === 'string' ? cell : cell.text
    for (const [index, part] of content.split(/\s+/).entries()) {
      if (index > 0) words.push([])
      if (part !== '') words.at(-1)?.push(typeof cell === 'string' ? part : styled(cell.style, part))
    }
  }
  return words.filter((word) => word.length > 0)
}

function cellsOf(text: string): Cell[] {
  const cells: Cell[] = []
  let at = 0
  for (const match of text.matchAll(SPANS)) {
    const [whole, , code, bold, emphasis, label, destination = ''] = match
    cells.push(text.slice(at, match.index))
    at = match.index + whole.length
    if (code !== undefined) cells.push(styled('cyan', code))
    else if (bold !== undefined) cells.push(styled('bold', plain(bold)))
    else if (emphasis !== undefined) cells.push(styled('italic', plain(emphasis)))
    else cells.push(styled('underline', plain(label ?? '')), ...addressOf(destination))
  }
  return [...cells, text.slice(at)]
}

/** Returns the address of a link to another site. Pages of the documentation are found by their titles. */
function addressOf(destination: string): Cell[] {
  return /^[a-z]+:/.test(destination) ? [' ', styled('dim', `<${destination}>`)] : []
}

/** Returns text without the signs of its spans. */
function plain(text: string): string {
  return text.replaceAll(SPANS, (_, _ticks, code, bold, emphasis, label) => code ?? bold ?? emphasis ?? label)
}

/** Breaks words into lines. */
function broken(words: readonly Word[], columns: number): Cell[][] {
  const lines: Word[][] = []
  let length = 0
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && length + 1 + widthOf(word) <= columns) {
      last.push(word)
      length += 1 + widthOf(word)
    } else {
      lines.push([word])
      length = widthOf(word)
    }
  }
  return lines.map(spaced)
}

/** Returns the cells of words, with a blank between two. Neighbours of one style are one cell. */
function spaced(words: readonly Word[]): Cell[] {
  const cells: Cell[] = []
  for (const [first = '', ...rest] of words) {
    const last = cells.at(-1)
    const isSame = typeof last === 'object' && typeof first === 'object' && last.style === first.style
    if (isSame) cells[cells.length - 1] = styled(last.style, `${last.text} ${first.text}`)
    else cells.push(...(cells.length === 0 ? [] : [' ']), first)
    cells.push(...rest)
  }
  return cells
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + width(cell), 0)
}
