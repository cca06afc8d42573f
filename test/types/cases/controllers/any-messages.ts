/** Keys of messages that are not registered. */
import { type MessageKey, WSGIController } from 'propylon'

export class PagesController extends WSGIController {
  index(key: MessageKey) {
    this.t('home')
    this.t('x', { y: 1 })
    this.t(key)
    return key
  }
}
