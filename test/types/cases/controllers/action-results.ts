/** The message for an action that returns what no response can be made of. */
import { WSGIController } from 'propylon'

// error: TS2417: …'typeof UsersController'…'count' is incompatible …Type 'number' is not assignable to type 'ActionResult'.
export class UsersController extends WSGIController {
  count() {
    return 42
  }
}
