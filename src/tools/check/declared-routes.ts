/**
 * Routes with what their actions take, give and show.
 *
 * @module
 */
import type { TableRow } from '../../routing/diagnose.ts'
import { type ControllerModel, textOf } from './model.ts'
import { is } from './syntax.ts'
import { bodiesOf, tableOf, type Wiring } from './wiring.ts'

/** A route with the declarations of its action; null for those that it lacks, or if the path says the action. */
export interface DeclaredRoute extends TableRow {
  /** Argument and schema: `book: NewBook`. */
  readonly body: string | null
  /** The schema, or `none` if the action gives no value. */
  readonly result: string | null
  /** The template. */
  readonly page: string | null
}

/** Returns all routes in order, without static ones. */
export function declaredRoutes(wiring: Wiring): DeclaredRoute[] {
  return tableOf(wiring).map(({ row, view, entry }) =>
    entry?.kind !== 'class' || entry.model.isService || view?.method === undefined
      ? { ...row, body: null, result: null, page: null }
      : { ...row, ...declarationsOf(entry.model, view.method) },
  )
}

function declarationsOf(
  model: ControllerModel,
  action: string,
): Pick<DeclaredRoute, 'body' | 'result' | 'page'> {
  const [body] = bodiesOf(model, action)
  const result = model.declaredResult(action)
  const page = model.staticEntries.find(({ record, name }) => record === 'pages' && name === action)
  const schema = body?.body.schema && textOf(body.body.schema.module, body.body.schema.node)
  return {
    body: body === undefined ? null : schema === undefined ? body.name : `${body.name}: ${shortened(schema)}`,
    result:
      result === undefined || result === 'unknown'
        ? null
        : is(result.node, 'Literal')
          ? 'none'
          : shortened(textOf(result.module, result.node)),
    page: page === undefined ? null : (page.text ?? null),
  }
}

/** Maximum length of a schema in a column. */
const MAX_TEXT = 30

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text
}
