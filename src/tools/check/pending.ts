/**
 * Modules whose top-level `await` never ends.
 *
 * @module
 */
import { pathToFileURL } from 'node:url'
import { type Place, placeOf, textOf } from './model.ts'
import { modulesInOrder } from './module-graph.ts'
import { ProjectModules, type SourceModule } from './modules.ts'
import { is, isClassNode, isFunctionNode, nodesIn, type SyntaxNode } from './syntax.ts'

/** A module that waits, and the expression for which it does. */
export interface PendingModule {
  readonly place: Place
  /** The first expression at the top level of the module that is awaited. */
  readonly text: string
}

/** Number of turns of the event loop after which a module that has been evaluated has certainly been imported again. */
const TURNS = 20

/** Returns the modules that some files import, directly or not, and that still wait. Files are given by path. */
export async function pendingModules(entries: readonly string[]): Promise<PendingModule[]> {
  const modules = new ProjectModules()
  const pending = new Set<SourceModule>()
  const found: PendingModule[] = []
  for (const [module, imported] of modulesInOrder(entries, modules)) {
    const waits = firstAwait(module)
    const isBlocked = imported.some((other) => pending.has(other))
    if (isBlocked) pending.add(module)
    if (isBlocked || waits === undefined || (await isEvaluated(module))) continue
    pending.add(module)
    found.push({ place: placeOf(module, waits), text: textOf(module, waits) })
  }
  return found
}

function firstAwait({ tree }: SourceModule): SyntaxNode | undefined {
  const isOutside = (node: SyntaxNode) => !isFunctionNode(node) && !isClassNode(node)
  return nodesIn(tree, isOutside).find(
    (node) => is(node, 'AwaitExpression') || (is(node, 'ForOfStatement') && node.await),
  )
}

/** Returns false if importing a module again does not end, because its first evaluation still waits. */
async function isEvaluated({ path }: SourceModule): Promise<boolean> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  import(pathToFileURL(path).href).then(done, done)
  for (let turn = 0; turn < TURNS && !isDone; turn++) await new Promise((resolve) => setImmediate(resolve))
  return isDone
}
