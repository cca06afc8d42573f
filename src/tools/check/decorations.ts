/**
 * The decorators of methods: passed to `decorate()` or written before a method.
 *
 * @module
 */
import { classOf } from './class-chain.ts'
import { frameworkName, type Lookup } from './lookup.ts'
import { type Decorated, type Decoration, type Located, placeOf, textOf } from './model.ts'
import type { SourceModule } from './modules.ts'
import type { StaticRecords } from './static-args.ts'
import { type ClassNode, is, keyName, type Of, type SyntaxNode, unwrap } from './syntax.ts'

/** The decorators of the methods of a class. */
export interface Decorations {
  readonly decorated: readonly Decorated[]
  /** False if there may be further decorators. */
  readonly isComplete: boolean
}

/** Reads decorators. */
export class DecorationReader {
  readonly #lookup: Lookup
  readonly #records: StaticRecords

  constructor(lookup: Lookup, records: StaticRecords) {
    this.#lookup = lookup
    this.#records = records
  }

  /** Returns the decorators of a class's own methods. */
  read({ module, node }: Located<ClassNode>): Decorations {
    const decorated: Decorated[] = []
    let isComplete = true
    const add = (call: Of<'CallExpression'>) => {
      const found = this.#decorations(module, call)
      decorated.push(...found.decorated)
      isComplete &&= found.isComplete
    }
    for (const member of node.body.body) {
      if (is(member, 'MethodDefinition') && !member.static && member.decorators !== undefined) {
        const method = keyName(member.key, member.computed)
        if (method === undefined) continue
        const decorations = member.decorators.map(({ expression }) => this.#decoration(module, expression))
        decorated.push({ method, place: placeOf(module, member.key), decorations })
      } else if (is(member, 'StaticBlock')) {
        for (const call of this.#calls(module, member.body)) {
          if (
            is(call.arguments[0] && unwrap(call.arguments[0]), 'ThisExpression') ||
            this.#names(module, call, node)
          ) {
            add(call)
          }
        }
      }
    }
    for (const call of this.#calls(module, module.tree.body)) if (this.#names(module, call, node)) add(call)
    return { decorated, isComplete }
  }

  /** Returns the calls of `decorate` among some statements. */
  #calls(module: SourceModule, statements: readonly SyntaxNode[]): Of<'CallExpression'>[] {
    return statements.flatMap((statement) => {
      const call = is(statement, 'ExpressionStatement') ? unwrap(statement.expression) : undefined
      if (!is(call, 'CallExpression')) return []
      return this.#frameworkName(module, call.callee) === 'decorate' ? [call] : []
    })
  }

  /** Returns true if the first argument of a call names a class. */
  #names(module: SourceModule, call: Of<'CallExpression'>, node: ClassNode): boolean {
    const [first] = call.arguments
    return first !== undefined && classOf(this.#lookup, module, first)?.node === node
  }

  #decorations(module: SourceModule, call: Of<'CallExpression'>): Decorations {
    const [, record] = call.arguments
    const properties = record && this.#records.properties(module, record)
    if (properties === undefined) return { decorated: [], isComplete: false }
    let { isComplete } = properties
    const decorated: Decorated[] = []
    for (const [method, entry] of properties.entries) {
      const list = this.#lookup.value(entry.module, entry.node)
      if (!is(list.node, 'ArrayExpression')) {
        isComplete = false
        continue
      }
      const decorations = list.node.elements.flatMap((element) =>
        element === null ? [] : [this.#decoration(list.module, element)],
      )
      decorated.push({ method, place: placeOf(entry.key.module, entry.key.node), decorations })
    }
    return { decorated, isComplete }
  }

  #decoration(from: SourceModule, expression: SyntaxNode): Decoration {
    const { module, node } = this.#lookup.value(from, expression)
    const callee = is(node, 'CallExpression') ? node.callee : node
    return {
      decorator: this.#frameworkName(module, callee),
      text: textOf(module, node),
      arguments: is(node, 'CallExpression') ? node.arguments.map((one) => this.#constant(module, one)) : [],
      module,
      place: placeOf(module, node),
    }
  }

  /** Returns the value of an argument that names a constant of the same module. */
  #constant(module: SourceModule, argument: SyntaxNode): SyntaxNode {
    const value = this.#lookup.value(module, argument)
    return value.module === module ? value.node : argument
  }

  /** Returns the name of an export of `propylon/decorators`. */
  #frameworkName(module: SourceModule, callee: SyntaxNode): string | undefined {
    return frameworkName(this.#lookup.expression(module, callee))
  }
}
