/**
 * The reference of the API, made of the declarations in `dist/`: a page for each entry of the package. The names of a
 * long entry have pages of their own: one for each class, and one for each kind.
 */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import ts from 'typescript'
import { anchorOf, type Page, ROOT } from './pages.ts'

/** An exported name with its declarations. */
interface Item {
  readonly name: string
  readonly kind: Kind
  readonly declarations: readonly ts.Declaration[]
  /** The declaration whose comment is used, if it is not each one's own. */
  readonly commented?: ts.Declaration | undefined
}

const KINDS = ['Classes', 'Functions', 'Constants', 'Interfaces', 'Types'] as const
type Kind = (typeof KINDS)[number]

/** Length of a page, in characters. A longer one would be more than 15,000 pixels high. */
const MAX_LENGTH = 11_000

/** Names that come first, in this order. */
const IMPORTANT: readonly string[] = [
  'FrameworkApp',
  'WSGIController',
  'Mapper',
  'Request',
  'Response',
  'Session',
  'abort',
  'redirect',
]

/** Returns the place of a name among those of its kind: what everybody uses, the rest, exceptions of one status, errors. */
function rankOf({ name }: Item): number {
  const index = IMPORTANT.indexOf(name)
  if (index !== -1) return index
  if (/(?:Error|NotFound)$/.test(name)) return IMPORTANT.length + 2
  return IMPORTANT.length + (/^HTTP[A-Z][a-z]/.test(name) ? 1 : 0)
}

/** The pages of the API, and the places of all exported names: `docs/api/node.md#serve`. */
export interface Api {
  readonly pages: readonly Page[]
  readonly places: ReadonlyMap<string, string>
}

/** Returns the pages, ordered as the entries of `package.json`. */
export function api(): Api {
  const entries = entriesOfPackage()
  const program = ts.createProgram([...entries.values()], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    noEmit: true,
    skipLibCheck: true,
  })
  const checker = program.getTypeChecker()
  const places = new Map<string, string>()
  const seen = new Set<ts.Declaration>()
  const documented = [...entries].map(([entry, file]) => {
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${file} does not exist or exports nothing. Run 'npm run build'.`)
    const items = checker
      .getExportsOfModule(symbol)
      .map((exported) => itemOf(exported, checker))
      .sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name, 'en'))
    const isOwn = ({ name, declarations: [first] }: Item) =>
      first === undefined || !(seen.has(first) || places.has(name))
    const own = items.filter(isOwn)
    for (const { declarations } of own) for (const each of declarations) seen.add(each)
    const chapters = chaptersOf(entry, own)
    for (const { source: file, items } of chapters)
      for (const item of items) places.set(item.name, `${file}${anchorIn(item, chapters.length > 1)}`)
    return {
      entry,
      comment: moduleComment(source),
      others: items.filter((item) => !own.includes(item)),
      chapters,
    }
  })
  const pages = documented.flatMap(({ entry, comment, others, chapters }) => {
    const [first, ...rest] = chapters
    if (first === undefined) return []
    const link = ({ name }: Item) => {
      const place = places.get(name)
      return place === undefined ? `\`${name}\`` : `[\`${name}\`](${posix.relative('docs/api', place)})`
    }
    const also = others.length === 0 ? '' : `Also exported here: ${others.map(link).join(', ')}.`
    const body = rest.length === 0 ? first.text : contents(rest, link)
    const text = [`# ${entry}`, comment, also, body].filter((part) => part !== '').join('\n\n')
    return [{ ...pageOf(first), text: `${text}\n` }, ...rest.map(pageOf)]
  })
  return { pages, places }
}

/** What one page has. */
interface Chapter {
  readonly title: string
  /** File of the page, which does not exist: `docs/api/node.md`. */
  readonly source: string
  readonly items: readonly Item[]
  readonly text: string
}

function pageOf({ title, source, text }: Chapter): Page {
  return { route: source.replace(/^docs\/(.*)\.md$/, '$1'), source, title, text: `${text}\n` }
}

/** Returns the place of an item in the page of its chapter. A class has a page of its own if the entry has several. */
function anchorIn(item: Item, isSplit: boolean): string {
  if (isTerse(item)) return '#others'
  return isSplit && item.kind === 'Classes' ? '' : `#${anchorOf(item.name)}`
}

/** Returns one chapter with all items, or an empty one for the contents and the chapters of a long entry. */
function chaptersOf(entry: string, items: readonly Item[]): Chapter[] {
  const base = `docs/api/${entry.replace('propylon/', '')}`
  const whole = KINDS.flatMap((kind) => {
    const group = items.filter((item) => item.kind === kind)
    return group.length === 0 ? [] : [`## ${kind}`, ...sectionsOf(group)]
  }).join('\n\n')
  if (whole.length <= MAX_LENGTH) return [{ title: entry, source: `${base}.md`, items, text: whole }]
  const classes = items.filter((item) => item.kind === 'Classes' && !isTerse(item))
  const others = KINDS.flatMap((kind) => {
    const group = items.filter((item) => item.kind === kind && !classes.includes(item))
    const name = kind === 'Classes' ? 'exceptions' : kind.toLowerCase()
    return group.length === 0 ? [] : partsOf(group).map((part, i) => ({ name, part, i }))
  })
  return [
    { title: entry, source: `${base}.md`, items: [], text: '' },
    ...classes.map((item) => ({
      title: item.name,
      source: `${base}/${item.name}.md`,
      items: [item],
      text: classPage(entry, item),
    })),
    ...others.map(({ name, part, i }) => {
      const title = `${entry}: ${name}${i === 0 ? '' : ` ${i + 1}`}`
      const source = `${base}/${name}${i === 0 ? '' : `-${i + 1}`}.md`
      const text = `# ${title}\n\n${sectionsOf(part).join('\n\n').replaceAll(/^### /gm, '## ')}`
      return { title, source, items: part, text }
    }),
  ]
}

function classPage(entry: string, item: Item): string {
  const head = `# ${item.name}\n\n${block(`import { ${item.name} } from '${entry}'`)}`
  return sectionOf(item)
    .replace(/^### .*$/m, () => head)
    .replaceAll(/^#### /gm, '## ')
}

/** Divides items into parts that fit on a page. */
function partsOf(items: readonly Item[]): Item[][] {
  const parts: Item[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const item of items) {
    const own = isTerse(item) ? 0 : sectionOf(item).length
    if (length + own > MAX_LENGTH) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(item)
    length += own
  }
  return parts
}

/** Returns the contents of a long entry. */
function contents(chapters: readonly Chapter[], link: (item: Item) => string): string {
  const items = chapters.flatMap((chapter) => chapter.items)
  const lists = KINDS.map((kind) => [kind, items.filter((item) => item.kind === kind)] as const)
  return lists
    .filter(([, group]) => group.length > 0)
    .map(([kind, group]) => {
      if (kind !== 'Classes' && kind !== 'Functions') return `## ${kind}\n\n${group.map(link).join(', ')}`
      const rows = group.filter((item) => !isTerse(item)).map((item) => `| ${link(item)} | ${summaryIn(item)} |`)
      const terse = group.filter(isTerse).map(link)
      const also = terse.length === 0 ? '' : `\n\n${terse.join(', ')}`
      return `## ${kind}\n\n| name | meaning |\n|---|---|\n${rows.join('\n')}${also}`
    })
    .join('\n\n')
}

/** Returns the first sentence of a comment, as a cell of a table. */
function summaryIn({ declarations: [first], commented }: Item): string {
  const declaration = commented ?? first
  const text = declaration === undefined ? '' : documentation(declaration).replaceAll(/\s+/g, ' ')
  return (/^(?:`[^`]*`|[^.`]|\.(?! |$))*\.?/.exec(text)?.[0] ?? '').replaceAll('|', '\\|')
}

/** Returns the declarations of the entries by the names that applications import. */
function entriesOfPackage(): Map<string, string> {
  const manifest: { exports: Record<string, string | { types: string }> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  )
  return new Map(
    Object.entries(manifest.exports).flatMap(([path, target]): [string, string][] =>
      typeof target === 'string' ? [] : [[path.replace('.', 'propylon'), join(ROOT, target.types)]],
    ),
  )
}

function itemOf(exported: ts.Symbol, checker: ts.TypeChecker): Item {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const declarations = symbol.declarations ?? []
  const own = { name: exported.name, kind: kindOf(symbol.flags), declarations }
  // A constant with the interface of a class, which narrows the type of that class: documented as the class.
  const constant = declarations.find(ts.isVariableDeclaration)
  const heritage = declarations.find(ts.isInterfaceDeclaration)?.heritageClauses?.[0]?.types[0]
  const base =
    constant && heritage && checker.getTypeAtLocation(heritage).symbol.declarations?.find(ts.isClassDeclaration)
  return base === undefined ? own : { ...own, kind: 'Classes', declarations: [base], commented: constant }
}

function kindOf(flags: ts.SymbolFlags): Kind {
  if (flags & ts.SymbolFlags.Class) return 'Classes'
  if (flags & ts.SymbolFlags.Function) return 'Functions'
  if (flags & ts.SymbolFlags.Variable) return 'Constants'
  return flags & ts.SymbolFlags.Interface ? 'Interfaces' : 'Types'
}

/** Returns a section for each item. Classes without members of their own share a table. */
function sectionsOf(items: readonly Item[]): string[] {
  const sections: string[] = []
  const rows: string[] = []
  for (const item of items) {
    const [first] = item.declarations
    if (first && isTerse(item)) {
      rows.push(`| \`${item.name}\` | ${documentation(first).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')} |`)
    } else {
      sections.push(sectionOf(item))
    }
  }
  if (rows.length > 0) sections.push(`### Others\n\n| class | meaning |\n|---|---|\n${rows.join('\n')}`)
  return sections
}

/** Returns true for a class without members of its own. */
function isTerse({ declarations: [first] }: Item): boolean {
  return first !== undefined && ts.isClassDeclaration(first) && membersOf(first).length === 0
}

function sectionOf({ name, declarations, commented }: Item): string {
  const parts = [`### ${name}`]
  for (const declaration of declarations) {
    const comment = documentation(commented ?? declaration)
    if (ts.isClassDeclaration(declaration)) {
      parts.push(block(headOf(declaration)), comment, ...membersOf(declaration).flatMap(memberSection))
    } else {
      parts.push(block(codeOf(declaration)), comment)
    }
  }
  return parts.filter((part) => part !== '').join('\n\n')
}

function memberSection(members: readonly ts.ClassElement[]): string[] {
  const [first] = members
  if (first === undefined) return []
  const name = ts.isConstructorDeclaration(first) ? 'constructor' : (first.name?.getText() ?? '')
  const isCalled = ts.isMethodDeclaration(first) || ts.isConstructorDeclaration(first)
  const code = members.map((member) => withoutComment(member.getText())).join('\n')
  return [`#### \`${name}${isCalled ? '()' : ''}\``, block(code), ...members.map((member) => documentation(member))]
}

/** Returns the public members of a class, overloads together. */
function membersOf(declaration: ts.ClassDeclaration): ts.ClassElement[][] {
  const members = declaration.members.filter((member) => {
    if (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) return false
    if (ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal')) return false
    return member.name === undefined ? ts.isConstructorDeclaration(member) : ts.isIdentifier(member.name)
  })
  return [
    ...Map.groupBy(
      members,
      (member) =>
        `${member.kind === ts.SyntaxKind.SetAccessor ? ts.SyntaxKind.GetAccessor : member.kind} ${member.name?.getText()}`,
    ).values(),
  ]
}

/** Returns the first line of a class, without its members. */
function headOf(declaration: ts.ClassDeclaration): string {
  const text = withoutComment(declaration.getText())
  const open = declaration.members.pos - (declaration.getEnd() - text.length)
  return text.slice(0, open).replace(/\{\s*$/, '')
}

/** Returns a declaration without its own comment, whose members keep theirs. */
function codeOf(declaration: ts.Declaration): string {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const members = ts.isInterfaceDeclaration(declaration) ? hiddenMembers(declaration) : []
  let text = statement.getText()
  for (const member of members) text = text.replace(member, '')
  return withoutComment(text)
}

function hiddenMembers(declaration: ts.InterfaceDeclaration): string[] {
  return declaration.members
    .filter((member) => ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal'))
    .map((member) => member.getFullText())
}

function withoutComment(text: string): string {
  return text.replace(/^\s*\/\*\*.*?\*\/\s*/s, '')
}

function cleaned(code: string): string {
  return (
    code
      .replace(/^export /, '')
      .replace(/^declare /, '')
      .replaceAll(/ extends (\w+)_base\b/g, ' extends $1')
      .replaceAll(/;$/gm, '')
      // The build numbers names that several modules declare.
      .replaceAll(/\b(\w+)\$\d+\b/g, '$1')
      .replaceAll(/\{@link\s+([^}|]+?)(?:\s*\|[^}]*)?\s*\}/g, '$1')
      .trim()
  )
}

function block(code: string): string {
  return `\`\`\`ts\n${cleaned(code)}\n\`\`\``
}

/** Returns the comment of a module: the first one, if it has the tag `@module`. */
function moduleComment(source: ts.SourceFile | undefined): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(source?.text ?? '')?.[1]
  if (!comment?.includes('@module')) return ''
  return escaped(
    comment
      .replaceAll(/^ *\* ?/gm, '')
      .replace(/@module.*/s, '')
      .trim(),
  )
}

/** Returns the doc comment of a declaration as Markdown: text, parameters, result, errors, examples. */
function documentation(declaration: ts.Declaration): string {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const comment = comments.at(-1)
  if (comment === undefined) return ''
  const parts = [escaped(textOf(comment.comment))]
  const rows = { parameters: [] as string[], rest: [] as string[], examples: [] as string[] }
  for (const tag of comment.tags ?? []) {
    const text = textOf(tag.comment).replace(/^\s*-\s+/, '')
    if (ts.isJSDocParameterTag(tag)) rows.parameters.push(`- \`${tag.name.getText()}\`: ${indented(escaped(text))}`)
    else if (tag.tagName.text === 'returns') rows.rest.push(`**Returns** ${escaped(text)}`)
    else if (tag.tagName.text === 'throws') rows.rest.push(`**Throws** ${escaped(thrown(tag, text))}`)
    else if (ts.isJSDocSeeTag(tag)) {
      // The compiler reads the word in front of the first slash as a name.
      const path = (tag.name?.getText() ?? '') + text
      rows.rest.push(`**Guide**: [${path.slice(path.lastIndexOf('/') + 1, -'.md'.length)}](/${path})`)
    } else if (tag.tagName.text === 'deprecated') rows.rest.push(`**Deprecated** ${escaped(text)}`)
    else if (tag.tagName.text === 'example') rows.examples.push(`**Example**\n\n${text.replaceAll('*\\/', '*/')}`)
  }
  if (rows.parameters.length > 0) parts.push(rows.parameters.join('\n'))
  return [...parts, ...rows.rest, ...rows.examples].filter((part) => part !== '').join('\n\n')
}

/** Returns the text of a throws tag, whose type TypeScript parses only in braces: `RangeError - the status is …`. */
function thrown(tag: ts.JSDocTag, text: string): string {
  const type = ts.isJSDocThrowsTag(tag) ? tag.typeExpression?.getText().replaceAll(/[{}]/g, '') : undefined
  const [, name = type, condition = text] = /^(\w+)\s+-\s+(.*)$/s.exec(text) ?? []
  return name === undefined ? condition : `\`${name}\`: ${condition}`
}

function textOf(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  return (ts.getTextOfJSDocComment(comment) ?? '')
    .replaceAll(/\{@link\s+([^}|]+?)(?:\s*\|\s*([^}]*?))?\s*\}/g, (_, target, label) => label ?? `\`${target}\``)
    .trim()
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** Escapes what is HTML or a template outside of code: types in angle brackets, and double braces. */
function escaped(text: string): string {
  return text.replaceAll(/```.*?```|`+[^`]*`+|<(?=[A-Za-z/!])|\{\{/gs, (part) =>
    part === '<' ? '&lt;' : part === '{{' ? '&#123;&#123;' : part,
  )
}
