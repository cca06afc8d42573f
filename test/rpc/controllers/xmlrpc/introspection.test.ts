import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { XMLRPCController } from 'propylon'
import { takesParametersOf } from '../../../../src/controllers/parameters.ts'
import { TestService } from './service.ts'

class Base extends XMLRPCController {
  /** Inherited. */
  inherited() {
    return 1
  }
  /** Overridden, in the base. */
  overridden() {
    return 1
  }
}

class Documented extends Base {
  static override signatures = {
    one_line: [['string', 'int']],
    undocumented: [['int'], ['int', 'dateTime.iso8601']],
  }

  /** A comment about a field. */
  field = 1

  /** On one line. */
  one_line(n: number) {
    return String(n)
  }
  /**
   * On several lines,
   *   with an indented one.
   *
   * @param text anything
   */
  async several_lines(text: string): Promise<string> {
    return text
  }
  /**multiplies a * b
   *without a space
   */
  tight() {}
  //* Not a block.
  starred_line() {}
  undocumented(when?: unknown) {
    return when === undefined ? 0 : 1
  }
  // Not a doc comment.
  line_comment() {}
  /* Nor this. */
  block_comment() {}
  /** Separated. */
  // by another comment
  separated() {}
  /** From the comment. */
  attribute() {}
  override overridden() {
    /** Within the method. */
    return 2
  }
  /** Private names in it. */
  private_name() {
    return this.#hidden + this.field
  }
  #hidden = 1
  /** The first of two comments. */
  /** The second. */
  two() {}
  /** A name in quotes. */
  quoted() {}
  /** Escaped? <b>&amp;</b> "x" */
  markup() {}
}
Object.assign(Documented.prototype.attribute, {
  help: `
    From the attribute,
      indented.
  `,
})

const service = new TestService(Documented)

describe('system.methodHelp', () => {
  const expected: Record<string, string> = {
    one_line: "On one line.\n\nMethod signature: [['string', 'int']]",
    several_lines: 'On several lines,\n  with an indented one.\n\n@param text anything',
    undocumented: "Method signature: [['int'], ['int', 'dateTime.iso8601']]",
    tight: 'multiplies a * b\nwithout a space',
    starred_line: '',
    line_comment: '',
    block_comment: '',
    separated: 'Separated.',
    attribute: 'From the attribute,\n  indented.',
    inherited: 'Inherited.',
    overridden: '',
    private_name: 'Private names in it.',
    two: 'The second.',
    quoted: 'A name in quotes.',
    markup: 'Escaped? <b>&amp;</b> "x"',
  }
  for (const [name, help] of Object.entries(expected)) {
    it(`returns the help of ${name}`, async () => {
      assert.equal(await service.call('system.methodHelp', name), help)
    })
  }

  it('returns the help of the system methods', async () => {
    assert.equal(
      await service.call('system.methodHelp', 'system.methodHelp'),
      "Returns the documentation of a method, or an empty string.\n\nMethod signature: [['string', 'string']]",
    )
  })

  it('returns the comment of a decorated method', async () => {
    class Wrapped extends XMLRPCController {
      /** About the wrapped one. */
      wrapped() {
        return 1
      }
    }
    const original = Wrapped.prototype.wrapped
    const wrapper = () => 2
    takesParametersOf(wrapper, original)
    Wrapped.prototype.wrapped = wrapper
    assert.equal(await new TestService(Wrapped).call('system.methodHelp', 'wrapped'), 'About the wrapped one.')
  })

  it('returns a fault for an unknown method', async () => {
    assert.equal((await service.fault('system.methodHelp', 'nope')).faultCode, -32601)
    assert.equal((await service.fault('system.methodHelp', '__proto__')).faultCode, -32601)
  })
})

describe('system.methodSignature', () => {
  it('returns all signatures', async () => {
    assert.deepEqual(await service.call('system.methodSignature', 'undocumented'), [
      ['int'],
      ['int', 'dateTime.iso8601'],
    ])
    assert.deepEqual(await service.call('system.methodSignature', 'system.methodSignature'), [
      ['array', 'string'],
      ['string', 'string'],
    ])
    assert.deepEqual(await service.call('system.methodSignature', 'system.listMethods'), [['array']])
  })

  it('returns undef without signatures', async () => {
    assert.equal(await service.call('system.methodSignature', 'two'), 'undef')
  })

  it('returns a fault for an unknown method', async () => {
    assert.equal((await service.fault('system.methodSignature', 'nope')).faultCode, -32601)
  })
})

describe('system methods', () => {
  it('have signatures that are checked', async () => {
    assert.equal((await service.fault('system.methodHelp')).faultCode, -32602)
    assert.equal((await service.fault('system.methodHelp', 1)).faultCode, -32602)
    assert.equal((await service.fault('system.listMethods', 'x')).faultCode, -32602)
  })

  it('can be called with dots and with underscores', async () => {
    assert.deepEqual(await service.call('system_listMethods'), await service.call('system.listMethods'))
  })
})
