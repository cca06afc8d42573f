/**
 * Modules whose top-level `await` never ends.
 *
 * @module
 */
import { pathToFileURL } from 'node:url'
import { type Place, placeIn, Sources } from '../sources/sources.ts'
import { is, isClassNode, isFunctionNode, nodesIn } from '../sources/syntax.ts'

/** Number of turns of the event loop after which a module that has been evaluated has certainly been imported again. */
const TURNS = 20

/** Returns the place and the text of the expression for which some modules wait, or one that they import. */
export async function pendingModule(
  entries: readonly string[],
): Promise<{ readonly place: Place; readonly text: string } | undefined> {
  const sources = new Sources(entries)
  // The modules that are imported come first.
  for (const path of sources.paths.toReversed()) {
    const source = sources.file(path)
    if (source === undefined) continue
    const outside = nodesIn(source.tree, (node) => !isFunctionNode(node) && !isClassNode(node))
    const waits = outside.find((node) => is(node, 'AwaitExpression') || (is(node, 'ForOfStatement') && node.await))
    if (waits === undefined || (await isEvaluated(path))) continue
    return { place: placeIn(source, waits), text: source.text.slice(waits.start, waits.end) }
  }
  return undefined
}

/** Returns false if importing a module again does not end, because its first evaluation still waits. */
async function isEvaluated(path: string): Promise<boolean> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  import(pathToFileURL(path).href).then(done, done)
  for (let turn = 0; turn < TURNS && !isDone; turn++) await new Promise((resolve) => setImmediate(resolve))
  return isDone
}
