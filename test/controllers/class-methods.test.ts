import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defineFrameworkClass, inspectMethods, isPrivate } from '../../src/controllers/class-methods.ts'

class Framework {
  render() {}
  get request() {
    return 'request'
  }
}
defineFrameworkClass(Framework)

class Base extends Framework {
  shared() {}
  overridden() {}
  removed() {}
}

let getterRuns = 0

class Controller extends Base {
  static factory() {}
  field = () => 'a class field'
  index() {}
  async show() {}
  *stream() {}
  override overridden() {}
  override render() {}
  override toString() {
    return ''
  }
  _private() {}
  #hidden() {}
  get computed() {
    getterRuns += 1
    return () => this.#hidden()
  }
  override hasOwnProperty() {
    return true
  }
}
Object.defineProperty(Controller.prototype, 'removed', { get: () => () => {} })
Object.defineProperty(Controller.prototype, 'Model', { value: class {} })
Object.defineProperty(Controller.prototype, 'number', { value: 42 })

describe('the actions of a class', () => {
  const { actions } = inspectMethods(Controller)

  for (const name of ['index', 'show', 'stream', 'shared', 'overridden']) {
    it(`has ${name}`, () => {
      assert.equal(typeof actions.get(name), 'function')
    })
  }

  const unreachable = [
    'constructor',
    '__proto__',
    '__defineGetter__',
    '__lookupGetter__',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'isPrototypeOf',
    'propertyIsEnumerable',
    'toLocaleString',
    'render',
    'request',
    'field',
    'computed',
    'removed',
    '_private',
    '#hidden',
    'hidden',
    'factory',
    'Model',
    'number',
    'prototype',
    '',
  ] // prettier-ignore
  for (const name of unreachable) {
    it(`has no ${name || 'empty name'}`, () => {
      assert.equal(actions.has(name), false)
    })
  }

  it('takes the method of the most derived class', () => {
    assert.equal(actions.get('overridden'), Controller.prototype.overridden)
  })

  it('runs no getter', () => {
    assert.equal(getterRuns, 0)
  })
})

describe('a method whose name is a keyword', () => {
  class Keywords extends Framework {
    class() {}
    async function() {}
    *class_list() {}
    new() {}
  }
  const compute = { class: () => {}, class$() {} }
  Object.defineProperty(Keywords.prototype, 'class$', { value: compute.class$ })
  Object.defineProperty(Keywords.prototype, 'arrow', { value: compute.class })
  Object.defineProperty(Keywords.prototype, 'bound', { value: compute.class.bind(null) })
  Object.defineProperty(Keywords.prototype, 'plain', { value: new Function('return 1') })
  Object.defineProperty(Keywords.prototype, 'Nested', { value: class Nested {} })
  Object.defineProperty(Keywords.prototype, 'Native', { value: Map })

  it('is an action, and a class is none', () => {
    const names = [...inspectMethods(Keywords).actions.keys()].sort()
    assert.deepEqual(names, ['arrow', 'bound', 'class', 'class$', 'class_list', 'function', 'new', 'plain'])
  })
})

describe('isPrivate', () => {
  for (const [name, expected] of [
    ['_a', true],
    ['-a', true],
    ['__before__', true],
    ['a_', false],
    ['a', false],
  ] as const) {
    it(`says ${expected} of ${name}`, () => {
      assert.equal(isPrivate(name), expected)
    })
  }
})
