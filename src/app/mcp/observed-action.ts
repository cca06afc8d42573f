import type { Controller } from '../../controllers/call-state.ts'
import { OwnProtocol } from '../../controllers/lifecycle.ts'
import type { Responder } from '../../controllers/responder.ts'
import { actionProtocol } from '../../controllers/wsgi-controller.ts'

/** Runs the action as always, and records whether it began: a hook may have answered in its place. */
export class ObservedAction extends OwnProtocol<Responder> {
  hasBegun = false

  run(controller: Controller): unknown {
    this.hasBegun = true
    return actionProtocol.run(controller)
  }

  answer(controller: Controller, result: unknown): Responder {
    return actionProtocol.answer(controller, result)
  }

  answerError(controller: Controller, error: unknown): Responder {
    return actionProtocol.answerError(controller, error)
  }
}
