import { XMLRPCController, xmlrpc_fault } from 'propylon'
import { decorate, signature } from 'propylon/decorators'
import { type Binary, type DateTime, double, type Struct, type Value } from 'propylon/xmlrpc'
import { states } from '../model/states.ts'

/** Fault codes of the application. They are outside the reserved range and never 0. */
const NOT_INT = 1
const LACKING = 2
const WRONG_SIZE = 3

/** A service for testing XML-RPC clients: Userland's validator suite, and methods for types and faults. */
export class InteropController extends XMLRPCController {
  static override description = `For testing XML-RPC clients. The methods of validator1 come from Userland's validator;
test.echo returns its argument with the same types.`

  static override multicall = true
  static override allowNil = true
  static override i8 = true
  static override keepDoubles = true

  /** Returns the sum of the ints named curly in an array of structs. */
  validator1_arrayOfStructsTest(stooges: Value[]) {
    return asInt(stooges.map((stooge) => intIn(stooge, 'curly')).reduce((sum, curly) => sum + curly, 0))
  }

  /** Counts the characters of a text that XML escapes. */
  validator1_countTheEntities(text: string) {
    const count = (character: string): number => text.split(character).length - 1
    return {
      ctLeftAngleBrackets: count('<'),
      ctRightAngleBrackets: count('>'),
      ctAmpersands: count('&'),
      ctApostrophes: count("'"),
      ctQuotes: count('"'),
    }
  }

  /** Returns the sum of the ints moe, larry and curly of a struct. */
  validator1_easyStructTest(stooges: Struct) {
    return asInt(sumOfStooges(stooges))
  }

  /** Returns its argument, a struct. */
  validator1_echoStructTest(struct: Struct) {
    return struct
  }

  /** Returns its six arguments in an array. */
  validator1_manyTypesTest(
    number: number,
    boolean: boolean,
    text: string,
    decimal: number,
    dateTime: DateTime,
    base64: Binary,
  ) {
    return [number, boolean, text, double(decimal), dateTime, base64]
  }

  /** Returns the first and the last of 100 to 200 strings, joined. */
  validator1_moderateSizeArrayCheck(strings: Value[]) {
    const [first] = strings
    const last = strings.at(-1)
    if (typeof first === 'string' && typeof last === 'string') return first + last
    return xmlrpc_fault(WRONG_SIZE, 'The array must hold strings.')
  }

  /** Returns the sum of moe, larry and curly of April 1, 2000 in a struct of years, months and days. */
  validator1_nestedStructTest(calendar: Struct) {
    return asInt(sumOfStooges(memberOf(memberOf(memberOf(calendar, '2000'), '04'), '01')))
  }

  /** Returns a number multiplied by 10, 100 and 1000. */
  validator1_simpleStructReturnTest(number: number) {
    return { times10: number * 10, times100: number * 100, times1000: number * 1000 }
  }

  /** The name of the US state at a place in the order of joining the union. */
  test_battingOrder(posn: number) {
    return states[posn - 1] ?? 'Out of cheese error.'
  }

  /** Returns its argument with the same types: a double 2.0 remains a double. */
  test_echo(value: Value) {
    return value
  }

  /** Returns the sum of two ints. */
  test_add(a: number, b: number) {
    return asInt(a + b)
  }

  /** Returns a greeting. The word defaults to Hello. */
  test_greet(name: string, greeting = 'Hello') {
    return `${greeting}, ${name}!`
  }

  /** Returns a fault with the given code and message. */
  test_fail(code: number, message: string) {
    return xmlrpc_fault(code, message)
  }

  static {
    decorate(this, {
      validator1_arrayOfStructsTest: [signature('int', 'array')],
      validator1_countTheEntities: [signature('struct', 'string')],
      validator1_easyStructTest: [signature('int', 'struct')],
      validator1_echoStructTest: [signature('struct', 'struct')],
      validator1_manyTypesTest: [
        signature('array', 'int', 'boolean', 'string', 'double', 'dateTime.iso8601', 'base64'),
      ],
      validator1_moderateSizeArrayCheck: [signature('string', 'array')],
      validator1_nestedStructTest: [signature('int', 'struct')],
      validator1_simpleStructReturnTest: [signature('struct', 'int')],
      test_battingOrder: [signature('string', 'int')],
      test_add: [signature('int', 'int', 'int')],
      test_greet: [signature('string', 'string'), signature('string', 'string', 'string')],
      test_fail: [signature('string', 'int', 'string')],
    })
  }
}

function sumOfStooges(struct: Value | undefined): number {
  return ['moe', 'larry', 'curly'].reduce((sum, stooge) => sum + intIn(struct, stooge), 0)
}

function intIn(struct: Value | undefined, name: string): number {
  const member = memberOf(struct, name)
  if (typeof member === 'number') return member
  throw xmlrpc_fault(LACKING, `The struct must have an int named ${name}.`)
}

function memberOf(struct: Value | undefined, name: string): Value | undefined {
  return isStruct(struct) && Object.hasOwn(struct, name) ? struct[name] : undefined
}

/** Returns true for structs: parsed structs have no prototype, other types do. */
function isStruct(value: Value | undefined): value is Struct {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

function asInt(sum: number): number {
  if (sum === (sum | 0)) return sum
  throw xmlrpc_fault(NOT_INT, `${sum} is not an int of 32 bits.`)
}
