/**
 * Blocks of templates: `block(name, () => …)`.
 *
 * A block of a page is shown by its layout if the layout has a block of the same name, otherwise where it is written. A
 * single block can be rendered without the rest of the page.
 *
 * @module
 */

import { isPromise } from '../../base/promise.ts'

/** Eta's state of one run of a template. */
export interface BlockState {
  /** Name of the layout, once the template has called `layout()`. */
  readonly layout?: string
  /** Texts of the blocks that the layout receives. */
  readonly blocks: Record<string, string>
}

/** The key of a template's values under which Eta passes blocks to the layout. */
const PASSED = '__blocks'

/** The one block that is rendered. */
export class Fragment {
  readonly name: string
  /** Text of the block, once it was reached. */
  text: string | undefined = undefined
  /** Names of the blocks that were reached. */
  readonly reached = new Set<string>()

  constructor(name: string) {
    this.name = name
  }
}

/** Ends the run of a template whose {@link Fragment} is complete. */
export class FragmentComplete extends Error {
  override readonly name = 'FragmentComplete'
}

/**
 * Returns the text of a block where it is written.
 *
 * @param run - renders the content; undefined for a block without content of its own.
 * @param isInLayout - returns true if the layout has a block of a name.
 * @throws FragmentComplete - the block is the one that is rendered.
 */
export function placeBlock(
  name: string,
  run: (() => string | Promise<string>) | undefined,
  state: BlockState,
  values: Readonly<Record<string, unknown>>,
  fragment: Fragment | undefined,
  isInLayout: (name: string) => boolean,
): string | Promise<string> {
  fragment?.reached.add(name)
  const finish = (text: string): string => {
    if (fragment?.name === name && run !== undefined) {
      fragment.text = text
      throw new FragmentComplete()
    }
    if (state.layout === undefined) return text
    state.blocks[name] = text
    return isInLayout(name) ? '' : text
  }
  // A page passes its blocks to its layout, which passes them on to its own.
  const passed = values[PASSED]
  if (typeof passed === 'object' && passed !== null && Object.hasOwn(passed, name)) {
    const text: unknown = Reflect.get(passed, name)
    return finish(typeof text === 'string' ? text : '')
  }
  const text = run?.() ?? ''
  return isPromise(text) ? text.then(finish) : finish(text)
}

const BLOCK = /\bblock(?:Async)?\s*\(\s*(['"`])(.*?)\1/g
const TEMPLATE = /\b(?:include|includeAsync|layout)\s*\(\s*(['"`])(.*?)\1/g

/** Returns the names of the blocks in the text of a template. */
export function blockNames(text: string): string[] {
  return [...text.matchAll(BLOCK)].map(([, , name = '']) => name)
}

/** Returns the names of the templates that a template includes or has as its layout. */
export function templateNames(text: string): string[] {
  return [...text.matchAll(TEMPLATE)].map(([, , name = '']) => name)
}
