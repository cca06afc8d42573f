/** Compares bodies in HTML. */
import type { DefaultTreeAdapterTypes } from 'parse5'
import { optionalPackage } from '../../base/optional-package.ts'
import { type Difference, differenceOf, shownText } from './difference.ts'
import type { Rules } from './rules.ts'

/** An element without what a browser does not show: comments, the order of attributes, white space between words. */
interface Element {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly parent: Element | undefined
  children: (Element | string)[]
}

/** Elements whose white space matters. */
const PREFORMATTED: ReadonlySet<string> = new Set(['pre', 'textarea', 'script', 'style'])

/** Attributes that are set by their name, whatever their value. */
const BOOLEAN: ReadonlySet<string> = new Set([
  'checked',
  'defer',
  'disabled',
  'multiple',
  'novalidate',
  'readonly',
  'required',
  'selected',
])

/** The start of a part of a table. */
const TABLE_PART = /^\s*<(?:tr|t[dh]|tbody|thead|tfoot|caption|col|colgroup)\b/i

/** Names of hidden fields whose values are new in each response. */
const TOKEN = /csrf|xsrf|token/i

const FEATURE = 'propylon shadow'

/** Returns the differences of two pages. An element that differs is reported once, without those inside of it. */
export function compareHtml(old: string, fresh: string, rules: Rules): Difference[] {
  return [...differences(treeOf(old, rules), treeOf(fresh, rules), 'body ')]
}

function treeOf(html: string, rules: Rules): Element {
  const { parse, parseFragment } = optionalPackage('parse5', FEATURE)
  const root: Element = { tag: '', attributes: new Map(), parent: undefined, children: [] }
  // A document drops the rows of a table that begin it.
  const { childNodes } = TABLE_PART.test(html) ? parseFragment(html) : parse(html)
  addChildren(root, childNodes, false)
  for (const selector of rules.html) removeAll(root, selector)
  return root
}

function addChildren(
  parent: Element,
  nodes: readonly DefaultTreeAdapterTypes.ChildNode[],
  isInside: boolean,
): void {
  const isPreformatted = isInside || PREFORMATTED.has(parent.tag)
  let text = ''
  const flush = (): void => {
    // Not \s: a no-break space is shown.
    const shown = isPreformatted ? text : text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '')
    if (shown !== '') parent.children.push(shown)
    text = ''
  }
  for (const node of nodes) {
    if ('value' in node) text += node.value
    if (!('tagName' in node)) continue
    flush()
    const attributes = new Map(node.attrs.map(({ name, value }) => [name, BOOLEAN.has(name) ? '' : value]))
    const classes = attributes.get('class')
    if (classes !== undefined) attributes.set('class', classes.trim().split(/\s+/).sort().join(' '))
    attributes.delete('nonce')
    if (node.tagName === 'input' && TOKEN.test(attributes.get('name') ?? '')) attributes.delete('value')
    if (node.tagName === 'meta' && TOKEN.test(attributes.get('name') ?? '')) attributes.delete('content')
    const element: Element = { tag: node.tagName, attributes, parent, children: [] }
    parent.children.push(element)
    addChildren(element, 'content' in node ? node.content.childNodes : node.childNodes, isPreformatted)
  }
  flush()
}

/** Removes the elements that match a selector. */
function removeAll(root: Element, selector: string): void {
  const { compile } = optionalPackage('css-select', FEATURE)
  const matches = compile<Element, Element>(selector, { adapter })
  const remove = (element: Element): void => {
    element.children = element.children.filter((child) => typeof child === 'string' || !matches(child))
    for (const child of elementsIn(element)) remove(child)
  }
  remove(root)
}

function elementsIn(element: Element): Element[] {
  return element.children.filter((child) => typeof child !== 'string')
}

/** Connects css-select to {@link Element}. */
const adapter = {
  isTag: (_element: Element): _element is Element => true,
  getAttributeValue: (element: Element, name: string) => element.attributes.get(name),
  hasAttrib: (element: Element, name: string) => element.attributes.has(name),
  getChildren: elementsIn,
  getName: (element: Element) => element.tag,
  getParent: (element: Element) => element.parent ?? null,
  getSiblings: (element: Element) => (element.parent === undefined ? [element] : elementsIn(element.parent)),
  getText: (element: Element): string =>
    element.children.map((child) => (typeof child === 'string' ? child : adapter.getText(child))).join(''),
  removeSubsets: (elements: Element[]) => elements,
}

function* differences(old: Element, fresh: Element, place: string): Iterable<Difference> {
  for (const name of new Set([...old.attributes.keys(), ...fresh.attributes.keys()])) {
    yield* differenceOf(`${place}[${name}]`, old.attributes.get(name), fresh.attributes.get(name))
  }
  const isSameKind = ({ length }: Element['children']) =>
    length === fresh.children.length &&
    old.children.every((child, index) => kindOf(child) === kindOf(fresh.children[index] ?? ''))
  if (!isSameKind(old.children)) {
    yield { where: `${place}children`, old: shownText(outline(old)), new: shownText(outline(fresh)) }
    return
  }
  for (const [index, child] of old.children.entries()) {
    const other = fresh.children[index] ?? ''
    if (typeof child !== 'string' && typeof other !== 'string') {
      const before = old.children.slice(0, index).filter((sibling) => kindOf(sibling) === child.tag).length
      const name = before === 0 ? child.tag : `${child.tag}:nth-of-type(${before + 1})`
      yield* differences(child, other, `${place}${old.tag === '' ? '' : '> '}${name} `)
    } else yield* differenceOf(`${place}text`, child, other)
  }
}

function kindOf(child: Element | string): string {
  return typeof child === 'string' ? '#text' : child.tag
}

/** Returns the tags and texts inside an element. */
function outline({ children }: Element): string {
  return children.map((child) => (typeof child === 'string' ? child : `<${child.tag}>`)).join(' ')
}
