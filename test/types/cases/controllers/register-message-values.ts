/** Keys and values of registered messages. */
import { type MessageKey, WSGIController } from 'propylon'

declare module 'propylon' {
  interface Register {
    messageValues: {
      home: Record<string, never>
      'loan.done': { name: string | number; day: Date | number }
    }
  }
}

export class PagesController extends WSGIController {
  index(key: MessageKey) {
    this.t('home')
    this.t('home', {})
    this.t('loan.done', { name: 'Ann', day: new Date() })
    this.t(this.c.x ? 'home' : 'home')
    return key
  }
  wrong() {
    // error: TS2345: Argument of type '"hoem"' is not assignable to parameter of type 'MessageKey'.
    this.t('hoem')
    // error: TS2741: Property 'day' is missing in type '{ name: string; }' but required in type '{ name: string | number; day: number | Date; }'.
    this.t('loan.done', { name: 'x' })
    // @ts-expect-error the values are missing
    this.t('loan.done')
    // @ts-expect-error a value is superfluous
    this.t('loan.done', { name: 'Ann', day: 1, more: 1 })
    // @ts-expect-error a value has another type
    this.t('loan.done', { name: 'Ann', day: 'today' })
    // @ts-expect-error the message takes no values
    this.t('home', { name: 'Ann' })
  }
}
