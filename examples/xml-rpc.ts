// An XML-RPC service with signatures and help. Open /calculator, or call it by
//   npx propylon xmlrpc http://127.0.0.1:5000/calculator call divide 7 2
import { FrameworkApp, Mapper, XMLRPCController, xmlrpc_fault } from 'propylon'
import { decorate, signature } from 'propylon/decorators'
import { serve } from 'propylon/node'
import { double } from 'propylon/xmlrpc'

class CalculatorController extends XMLRPCController {
  /** Adds two or three numbers. */
  add(a: number, b: number, c = 0) {
    return a + b + c
  }

  /** Divides a number by another. */
  divide(a: number, b: number) {
    if (b === 0) return xmlrpc_fault(4, 'The divisor is zero.')
    return double(a / b) // A double even if the result is a whole number.
  }

  static {
    decorate(this, {
      add: [signature('int', 'int', 'int'), signature('int', 'int', 'int', 'int')],
      divide: [signature('double', 'int', 'int'), signature('double', 'double', 'double')],
    })
  }
}

const app = new FrameworkApp({
  map: new Mapper().connect('/{controller}', { action: 'index' }),
  controllers: { calculator: CalculatorController },
})
const server = await serve(app, { port: Number(process.env.PORT || 5000) })
console.log(`${server.url}/calculator`)
