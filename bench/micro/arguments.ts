/** Arguments by name: what a call with injected arguments costs beside a plain one, and what the plan costs once. */
import { bindMethod, invoke, type NamedArguments } from '../../src/controllers/arguments.ts'
import { printTimings, time } from './time.ts'

class Users {
  index() {
    return 'all'
  }
  show(id: string, format = 'html') {
    return id + format
  }
  three(controller: string, action: string, id: string) {
    return controller + action + id
  }
  destructured({ id, format = 'html' }: { id: string; format?: string }) {
    return id + format
  }
  everything({ id, ...rest }: { id: string; controller: string }) {
    return id + rest.controller
  }
}

const users = new Users()
const offer: NamedArguments = Object.assign(Object.create(null), {
  controller: 'users',
  action: 'show',
  id: '7',
  format: null,
})

const plan = (name: keyof Users) => bindMethod(`Users.${name}`, Users.prototype[name], undefined)
const planned = (name: keyof Users) => {
  const invocation = plan(name)
  return time(`${name}, by name`, () => invoke(invocation, users, offer))
}

printTimings('Arguments by name', [
  time('show, called directly', () => users.show('7')),
  planned('index'),
  planned('show'),
  planned('three'),
  planned('destructured'),
  planned('everything'),
  time('reading the names of show (once for each action)', () => plan('show')),
])
