import { XMLRPCController, xmlrpc_fault } from 'propylon'
import { decorate, signature } from 'propylon/decorators'
import { type Binary, type DateTime, double, type Struct, type Value } from 'propylon/xmlrpc'
import { states } from '../model/states.ts'

/** Application's own fault codes, outside of the reserved range and never 0. */
const NOT_INT = 1
const LACKING = 2
const WRONG_SIZE = 3

/** A service for trying other people's clients: Userland's validator suite, and what beyond it is worth a trial. */
export class InteropController extends XMLRPCController {
  static override description =
    `For trying XML-RPC clients. The methods of validator1 are those of Userland's validator;
test.echo sends back what it got, with the very same types.`

  static override multicall = true
  static override allowNil = true
  static override i8 = true
  static override keepDoubles = true

  /** Takes structs with at least the ints moe, larry and curly; tells the sum of all that is called curly. */
  validator1_arrayOfStructsTest(stooges: Value[]) {
    return asInt(stooges.map((stooge) => intIn(stooge, 'curly')).reduce((sum, curly) => sum + curly, 0))
  }

  /** Counts the characters that XML would have escaped. */
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

  /** Takes a struct with at least the ints moe, larry and curly; tells their sum. */
  validator1_easyStructTest(stooges: Struct) {
    return asInt(sumOfStooges(stooges))
  }

  /** Sends a struct back. */
  validator1_echoStructTest(struct: Struct) {
    return struct
  }

  /** Sends its six arguments back in an array. */
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

  /** Takes an array of 100 to 200 strings; tells the first and the last, put together. */
  validator1_moderateSizeArrayCheck(strings: Value[]) {
    const [first] = strings
    const last = strings.at(-1)
    if (typeof first === 'string' && typeof last === 'string') return first + last
    return xmlrpc_fault(WRONG_SIZE, 'The array must hold strings.')
  }

  /** Takes a calendar, structs of years, months and days; tells the sum of the stooges of April 1, 2000. */
  validator1_nestedStructTest(calendar: Struct) {
    return asInt(sumOfStooges(memberOf(memberOf(memberOf(calendar, '2000'), '04'), '01')))
  }

  /** Tells a number times 10, 100 and 1000. */
  validator1_simpleStructReturnTest(number: number) {
    return { times10: number * 10, times100: number * 100, times1000: number * 1000 }
  }

  /** The name of the US state at a place in the order of joining the union. */
  test_battingOrder(posn: number) {
    return states[posn - 1] ?? 'Out of cheese error.'
  }

  /** Sends any value back with the same types: a double 2.0 stays a double. */
  test_echo(value: Value) {
    return value
  }

  /** The sum of two ints. */
  test_add(a: number, b: number) {
    return asInt(a + b)
  }

  /** Greets a person, by default with Hello. */
  test_greet(name: string, greeting = 'Hello') {
    return `${greeting}, ${name}!`
  }

  /** Answers the fault that it is told. */
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
  throw xmlrpc_fault(LACKING, `The struct must have an int called ${name}.`)
}

function memberOf(struct: Value | undefined, name: string): Value | undefined {
  return isStruct(struct) && Object.hasOwn(struct, name) ? struct[name] : undefined
}

/** Structs as they arrive have no prototype; dates, bytes and the like have one. */
function isStruct(value: Value | undefined): value is Struct {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

function asInt(sum: number): number {
  if (sum === (sum | 0)) return sum
  throw xmlrpc_fault(NOT_INT, `${sum} is not an int of 32 bits.`)
}
