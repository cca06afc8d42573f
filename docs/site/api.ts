/** The reference of the API: one page for each entry of the package, made of the declarations in `dist/`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type Page, ROOT } from './pages.ts'

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

/** Returns the pages. They are ordered as the entries of `package.json`. */
export function apiPages(): Page[] {
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
  /** The page and the anchor of each documented declaration. */
  const places = new Map<ts.Declaration, string>()
  const itemsOf = new Map<string, readonly Item[]>()
  for (const [entry, file] of entries) {
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${file} does not exist or exports nothing. Run 'npm run build'.`)
    const items = checker
      .getExportsOfModule(symbol)
      .map((exported) => itemOf(exported, checker))
      .sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name, 'en'))
    itemsOf.set(entry, items)
    for (const { name, declarations } of items) {
      const [first] = declarations
      if (first !== undefined && !places.has(first)) places.set(first, `${routeOf(entry)}.md#${name.toLowerCase()}`)
    }
  }
  return [...itemsOf].map(([entry, items]) => {
    const route = routeOf(entry)
    const source = program.getSourceFile(entries.get(entry) ?? '')
    const own = items.filter(
      ({ name, declarations: [first] }) => first && placeOf(first, name) === `${route}.md#${name.toLowerCase()}`,
    )
    const others = items.filter((item) => !own.includes(item))
    const sections = KINDS.flatMap((kind) => {
      const group = own.filter((item) => item.kind === kind)
      return group.length === 0 ? [] : [`## ${kind}`, ...sectionsOf(group)]
    })
    const also = others.map(({ name, declarations: [first] }) =>
      first === undefined ? `\`${name}\`` : `[\`${name}\`](${relativePlace(placeOf(first, name) ?? '')})`,
    )
    const text = [
      `# ${entry}`,
      moduleComment(source),
      ...(also.length === 0 ? [] : [`Also exported here: ${also.join(', ')}.`]),
      ...sections,
    ]
    return {
      route,
      source: `docs/${route}.md`,
      title: entry,
      text: `${text.filter((each) => each !== '').join('\n\n')}\n`,
    }
  })

  function placeOf(declaration: ts.Declaration, name: string): string | undefined {
    return places.get(declaration) ?? [...places].find(([, place]) => place.endsWith(`#${name.toLowerCase()}`))?.[1]
  }
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

function routeOf(entry: string): string {
  return `api/${entry.replace('propylon/', '')}`
}

function relativePlace(place: string): string {
  return place.replace(/^api\//, './')
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
    if (first && ts.isClassDeclaration(first) && membersOf(first).length === 0) {
      rows.push(`| \`${item.name}\` | ${documentation(first).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')} |`)
    } else {
      sections.push(sectionOf(item))
    }
  }
  if (rows.length > 0) sections.push(`### Others\n\n| class | meaning |\n|---|---|\n${rows.join('\n')}`)
  return sections
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
    else if (tag.tagName.text === 'see') rows.rest.push(`**See** ${escaped(text)}`)
    else if (tag.tagName.text === 'deprecated') rows.rest.push(`**Deprecated** ${escaped(text)}`)
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
