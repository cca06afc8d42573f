import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser, type Program } from 'acorn'
import { ECMA } from '../../http/templating/syntax.ts'
import { type FunctionNode, is, isFunctionNode, type Of } from './syntax.ts'

const TypeScriptParser = Parser.extend(tsPlugin())

const options = { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true } as const

/**
 * Parses the text of a module.
 *
 * @param path - the file of the module. Its extension decides between TypeScript and JavaScript.
 * @throws SyntaxError - the text cannot be parsed. `loc` is the place.
 */
export function parseModule(path: string, text: string): Of<'Program'> {
  const parser = /\.[mc]?js$/.test(path) ? Parser : TypeScriptParser
  return withTypes(parser.parse(text, options))
}

/**
 * Parses the JavaScript of a template as one program.
 *
 * @throws SyntaxError - it cannot be parsed.
 */
export function parseScript(text: string): Of<'Program'> {
  return withTypes(Parser.parse(text, { ...ECMA, locations: true }))
}

/** Parses the source text of a function or a method. Returns undefined if it has none, as native functions. */
export function parseFunctionText(text: string): FunctionNode | undefined {
  // The text of a method is valid only inside an object literal.
  for (const program of [`(${text})`, `({${text}})`]) {
    let tree: Of<'Program'>
    try {
      tree = withTypes(Parser.parse(program, options))
    } catch (error) {
      if (error instanceof SyntaxError) continue
      throw error
    }
    const [statement] = tree.body
    const expression = is(statement, 'ExpressionStatement') ? statement.expression : undefined
    const [member] = is(expression, 'ObjectExpression') ? expression.properties : []
    const found = is(member, 'Property') ? member.value : expression
    if (isFunctionNode(found)) return found
  }
  return undefined
}

/** The types of acorn do not have the nodes that the plugin adds, nor that `loc` is present with `locations`. */
function withTypes(program: Program): Of<'Program'> {
  return program as Program & Of<'Program'>
}
