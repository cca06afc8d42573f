/**
 * A page's HTML as a browser reads it (parse5), with the few questions that tests ask.
 *
 * @module
 */

import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse, serialize } from 'parse5'
import { compileSelector } from './selector.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** An element of a page. The same element of the tree is always the same object. */
export class HtmlElement {
  readonly #element: Element
  /** The element's name, in lower case. */
  readonly tagName: string
  /** The element above; `undefined` for the outermost. */
  readonly parent: HtmlElement | undefined
  /** The elements right below, in order. */
  readonly children: readonly HtmlElement[]

  constructor(element: Element, parent: HtmlElement | undefined) {
    this.#element = element
    this.tagName = element.tagName
    this.parent = parent
    this.children = element.childNodes
      .filter((node) => defaultTreeAdapter.isElementNode(node))
      .map((child) => new HtmlElement(child, this))
  }

  /** An attribute's value; `''` for one without, `undefined` for one that is not there. */
  attribute(name: string): string | undefined {
    return this.#element.attrs.find((attribute) => attribute.name === name)?.value
  }

  /** Whether an attribute is there. */
  has(name: string): boolean {
    return this.attribute(name) !== undefined
  }

  /** The text inside, as it stands. */
  get rawText(): string {
    return textOf(this.#element)
  }

  /** The text inside with white space stripped and collapsed, as a reader sees it. */
  get text(): string {
    return seenTextOf(this.#element).replace(/\s+/g, ' ').trim()
  }

  /** The markup inside. */
  get innerHTML(): string {
    return serialize(this.#element)
  }

  /** The first element inside that fits a selector. */
  find(selector: string): HtmlElement | undefined {
    return this.findAll(selector)[0]
  }

  /** All elements inside that fit a selector, in the order of the page. */
  findAll(selector: string): HtmlElement[] {
    const fits = compileSelector(selector)
    return [...this.descendants()].filter(fits)
  }

  /** All elements inside, in the order of the page. */
  *descendants(): Generator<HtmlElement> {
    for (const child of this.children) {
      yield child
      yield* child.descendants()
    }
  }
}

/** A parsed page. */
export class HtmlDocument {
  /** The `html` element. */
  readonly root: HtmlElement

  constructor(html: string) {
    const element = parse(html).childNodes.find((node) => defaultTreeAdapter.isElementNode(node))
    if (element === undefined) throw new Error('the parser gave a document without an html element')
    this.root = new HtmlElement(element, undefined)
  }

  /** The page's title, `''` without one. */
  get title(): string {
    return this.find('title')?.text ?? ''
  }

  /** The page's text, without its head, with white space stripped and collapsed. */
  get text(): string {
    return this.find('body')?.text ?? ''
  }

  /** The first element that fits a selector (`tag`, `#id`, `.class`, `[name=value]`, `a > b`, `a b`, `a, b`). */
  find(selector: string): HtmlElement | undefined {
    return this.findAll(selector)[0]
  }

  /** All elements that fit a selector, in the order of the page. */
  findAll(selector: string): HtmlElement[] {
    const fits = compileSelector(selector)
    return [this.root, ...this.root.descendants()].filter(fits)
  }

  /** The address that the page's relative addresses start from: `<base href>`, else the page's own. */
  baseUrl(pageUrl: URL): URL {
    const base = this.find('base[href]')?.attribute('href')
    return base !== undefined && URL.canParse(base, pageUrl.href) ? new URL(base, pageUrl) : pageUrl
  }
}

function textOf(node: Node): string {
  if (defaultTreeAdapter.isTextNode(node)) return node.value
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
}

const UNSEEN = /^(?:script|style|template|noscript)$/
const INLINE =
  /^(?:a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|i|ins|kbd|label|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)$/

/** Leaves out scripts and styles, and parts what does not stand in one line. */
function seenTextOf(node: Node): string {
  if (defaultTreeAdapter.isTextNode(node)) return node.value
  if (!('childNodes' in node)) return ''
  const text = node.childNodes.map((child) => (UNSEEN.test(child.nodeName) ? '' : seenTextOf(child))).join('')
  return INLINE.test(node.nodeName) ? text : ` ${text} `
}
