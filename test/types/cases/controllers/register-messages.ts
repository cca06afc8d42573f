/** Keys of a registered JSON file. */
import { WSGIController } from 'propylon'

declare module 'propylon' {
  interface Register {
    messages: { home: string; other: string }
  }
}

export class PagesController extends WSGIController {
  index() {
    this.t('home')
    this.t('home', { any: 1 })
    // @ts-expect-error no such message
    this.t('hoem')
  }
}
