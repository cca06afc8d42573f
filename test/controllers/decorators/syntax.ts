/** Decorators in decorator syntax, which Node does not read: syntax.test.ts compiles it first. */
import { WSGIController } from 'propylon'
import {
  authenticateForm,
  cached,
  dispatchOn,
  formResult,
  https,
  jsonify,
  restrict,
  validate,
} from 'propylon/decorators'
import * as v from 'valibot'

const greeting = v.object({ name: v.string() })

export class SyntaxController extends WSGIController {
  @restrict('GET')
  @jsonify
  index(id = 'nobody') {
    return { id }
  }

  @restrict('POST')
  @validate(greeting)
  greet(id: string) {
    return `${formResult(this, greeting).name} ${id}`
  }

  @validate(greeting, { form: 'index' })
  shown() {
    return 'never'
  }

  @dispatchOn({ POST: '_save' })
  @cached({ expires: 60 })
  async edit(id: string) {
    return `edit ${id}`
  }

  _save(id: string) {
    return `save ${id}`
  }

  @https()
  @authenticateForm
  secure() {
    return 'secure'
  }
}
