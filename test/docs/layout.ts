/** Writes the blocks of pages as files, so that they run and compile. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, normalize } from 'node:path'
import { type Block, framed, type Page, ROOT } from './blocks.ts'

/** Creates a folder outside of the package, in which this package and those that it uses can be imported. */
export function folderWithPackages(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'propylon-docs-')))
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  }
  symlinkSync(ROOT, join(packages, 'propylon'))
  return folder
}

/** Writes a file and the folders above it. Returns its path. */
export function write(folder: string, file: string, text: string): string {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/**
 * Writes the file that a block is, or changes it by a block of the language `diff`, whose parts between lines `@@` the file
 * has once. A name with `…` is that of an existing file.
 */
export function writeBlock(folder: string, { file = '', language, code }: Block): void {
  const [directory, name] = [dirname(file), basename(file)]
  const [before, after] = name.split('…')
  const path = join(
    directory,
    after === undefined
      ? name
      : (readdirSync(join(folder, directory)).find((each) => each.startsWith(before ?? '') && each.endsWith(after)) ??
          name),
  )
  write(folder, path, language === 'diff' ? patched(readFileSync(join(folder, path), 'utf8'), code) : code)
}

function patched(text: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((result, part) => {
    const lines = part.split('\n').slice(0, -1)
    const side = (other: string) =>
      lines
        .filter((line) => !line.startsWith(other))
        .map((line) => `${line.slice(1)}\n`)
        .join('')
    const [old, replacement] = [side('+'), side('-')]
    if (result.split(old).length !== 2) throw new Error(`The file does not have this once:\n${old}`)
    return result.replace(old, () => replacement)
  }, text)
}

/** Returns the name of the file that holds a block. */
export function fileOf({ file, line, language }: Block): string {
  return file ?? `line-${line}.${language}`
}

/** Returns the folder of a block, which holds the files that the page has named so far. */
export function folderOf({ page, line }: Block): string {
  return join(page.replaceAll(/[/.]/g, '-'), `line-${line}`)
}

/** Application of the pages that show none. */
const APPLICATION = `import { FrameworkApp, Mapper } from 'propylon'

export default new FrameworkApp({ map: new Mapper(), controllers: {} })
`

/** Writes a block into a folder of its own, together with the files that it imports. Returns its path. */
export function layOut(root: string, page: Page, block: Block, code = framed(block)): string {
  const folder = join(root, folderOf(block))
  const files = filesFor(page, block)
  const isNeeded = new Set<string>()
  const follow = (file: string, text: string): void => {
    for (const [, path = ''] of text.matchAll(/(?:from |import |import\()'(\.[^']*)'/g)) {
      const imported = normalize(join(dirname(file), path))
      if (isNeeded.has(imported)) continue
      isNeeded.add(imported)
      follow(imported, files.get(imported) ?? '')
    }
  }
  follow(fileOf(block), code)
  for (const [file, text] of files) if (isNeeded.has(file) || !/\.[jt]s$/.test(file)) write(folder, file, text)
  return write(folder, fileOf(block), code)
}

/** Writes all files that a page names into the folder of a block of commands. Returns the folder. */
export function layOutProject(root: string, page: Page, block: Block): string {
  const folder = join(root, folderOf(block))
  for (const [file, text] of filesFor(page, block)) write(folder, file, text)
  return folder
}

/** Returns the files around a block: of each name the latest above the block, otherwise the first below. */
function filesFor(page: Page, block: Block): Map<string, string> {
  const files = page.blocks.filter(({ file }) => file !== undefined)
  const below = files.filter(({ line }) => line > block.line).reverse()
  const above = files.filter(({ line }) => line < block.line)
  return new Map([
    ['package.json', '{ "type": "module" }\n'],
    ['app.ts', APPLICATION],
    ...[...below, ...above].map((each) => [fileOf(each), framed(each)] as const),
  ])
}
