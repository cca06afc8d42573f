/**
 * HTML pages, parsed by parse5 and searched by css-select.
 *
 * @module
 */

import type { DefaultTreeAdapterTypes } from 'parse5'
import { optionalPackage } from './packages.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/**
 * An element of a page. Each element of the tree is always the same object.
 *
 * @example
 * ```ts
 * import { HtmlDocument } from 'propylon/testing'
 *
 * const page = new HtmlDocument('<ul class="users"><li><a href="/users/ann">Ann</a></ul>')
 * const link = page.find('.users a')
 * link?.text // 'Ann'
 * link?.attribute('href') // '/users/ann'
 * link?.parent?.tagName // 'li'
 * ```
 */
export class HtmlElement {
  readonly #element: Element
  /** The element's name, in lower case. */
  readonly tagName: string
  /** The parent element, or `undefined` for the outermost one. */
  readonly parent: HtmlElement | undefined
  /** The child elements, in order. */
  readonly children: readonly HtmlElement[]

  constructor(element: DefaultTreeAdapterTypes.Element, parent: HtmlElement | undefined) {
    this.#element = element
    this.tagName = element.tagName
    this.parent = parent
    this.children = element.childNodes.filter(isElement).map((child) => new HtmlElement(child, this))
  }

  /** Returns an attribute's value: `''` for one without a value, `undefined` for a missing one. */
  attribute(name: string): string | undefined {
    return this.#element.attrs.find((attribute) => attribute.name === name)?.value
  }

  /** Returns whether the element has an attribute. */
  has(name: string): boolean {
    return this.attribute(name) !== undefined
  }

  /** The text inside, with white space and the text of scripts and styles unchanged. */
  get rawText(): string {
    return textOf(this.#element)
  }

  /** The visible text inside, with white space trimmed and collapsed. */
  get text(): string {
    return visibleTextOf(this.#element).replace(/\s+/g, ' ').trim()
  }

  /** The markup inside. */
  get innerHTML(): string {
    return optionalPackage('parse5').serialize(this.#element)
  }

  /**
   * Returns the first element inside that matches a CSS selector.
   *
   * @throws TypeError - the selector is malformed.
   */
  find(selector: string): HtmlElement | undefined {
    return this.findAll(selector)[0]
  }

  /**
   * Returns the elements inside that match a CSS selector, in document order.
   *
   * @throws TypeError - the selector is malformed.
   */
  findAll(selector: string): HtmlElement[] {
    return [...this.descendants()].filter(matcher(selector))
  }

  /** Iterates over the elements inside, in document order. */
  *descendants(): Generator<HtmlElement> {
    for (const child of this.children) {
      yield child
      yield* child.descendants()
    }
  }
}

/**
 * A parsed page.
 *
 * @example
 * ```ts
 * import { HtmlDocument } from 'propylon/testing'
 *
 * const page = new HtmlDocument('<title>Users</title><ul><li>Ann<li>Bob</ul>')
 * page.title // 'Users'
 * page.findAll('li').map((item) => item.text) // ['Ann', 'Bob']
 * ```
 */
export class HtmlDocument {
  /** The `html` element. */
  readonly root: HtmlElement

  constructor(html: string) {
    const element = optionalPackage('parse5').parse(html).childNodes.find(isElement)
    if (element === undefined) throw new Error('parse5 returned a document without an html element.')
    this.root = new HtmlElement(element, undefined)
  }

  /** The page's title, or `''`. */
  get title(): string {
    return this.find('title')?.text ?? ''
  }

  /** The visible text of the page's body, with white space trimmed and collapsed. */
  get text(): string {
    return this.find('body')?.text ?? ''
  }

  /**
   * Returns the first element that matches a CSS selector, such as `#id`, `a.next` or `li:nth-child(2) > b`.
   *
   * @throws TypeError - the selector is malformed.
   */
  find(selector: string): HtmlElement | undefined {
    return this.findAll(selector)[0]
  }

  /**
   * Returns the elements that match a CSS selector, in document order.
   *
   * @throws TypeError - the selector is malformed.
   */
  findAll(selector: string): HtmlElement[] {
    return [this.root, ...this.root.descendants()].filter(matcher(selector))
  }

  /** Returns the base of the page's relative URLs: `<base href>`, or else the page's own URL. */
  baseUrl(pageUrl: URL): URL {
    const base = this.find('base[href]')?.attribute('href')
    return base !== undefined && URL.canParse(base, pageUrl.href) ? new URL(base, pageUrl) : pageUrl
  }
}

/** Connects css-select to {@link HtmlElement}. */
const adapter = {
  isTag: (_element: HtmlElement): _element is HtmlElement => true,
  getAttributeValue: (element: HtmlElement, name: string) => element.attribute(name),
  hasAttrib: (element: HtmlElement, name: string) => element.has(name),
  getChildren: (element: HtmlElement) => [...element.children],
  getName: (element: HtmlElement) => element.tagName,
  getParent: (element: HtmlElement) => element.parent ?? null,
  getSiblings: (element: HtmlElement) => [...(element.parent?.children ?? [element])],
  getText: (element: HtmlElement) => element.rawText,
  // css-select calls this only for queries with a context, and compile() is called without.
  removeSubsets: (elements: HtmlElement[]) => elements,
}

/**
 * Compiles a CSS selector to a predicate.
 *
 * @throws TypeError - the selector is malformed.
 */
function matcher(selector: string): (element: HtmlElement) => boolean {
  // css-select accepts these and matches nothing, which would hide a mistake in a test.
  if (/(?:^|[>+~])\s*$/.test(selector)) throw notSelector(selector, 'it is empty or ends with a combinator')
  const { compile } = optionalPackage('css-select')
  try {
    return compile<HtmlElement, HtmlElement>(selector, { adapter, relativeSelector: false })
  } catch (cause) {
    throw notSelector(selector, cause instanceof Error ? cause.message : String(cause))
  }
}

function notSelector(selector: string, reason: string): TypeError {
  return new TypeError(`${JSON.stringify(selector)} is not a CSS selector: ${reason}.`)
}

function isElement(node: Node): node is Element {
  return 'tagName' in node
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
}

const INVISIBLE = /^(?:script|style|template|noscript)$/
const INLINE =
  /^(?:a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|i|ins|kbd|label|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)$/

/** Leaves out scripts and styles, and separates the text of block elements by a space. */
function visibleTextOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value
  if (!('childNodes' in node)) return ''
  const text = node.childNodes.map((child) => (INVISIBLE.test(child.nodeName) ? '' : visibleTextOf(child))).join('')
  return INLINE.test(node.nodeName) ? text : ` ${text} `
}
