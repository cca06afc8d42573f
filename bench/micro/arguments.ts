/** Arguments by name: the cost of a call with injected arguments compared with a plain call. */
import { invoke } from '../../src/controllers/lifecycle.ts'
import { metadataOf, type NamedArguments } from '../../src/controllers/metadata.ts'
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
const offered: NamedArguments = Object.assign(Object.create(null), {
  controller: 'users',
  action: 'show',
  id: '7',
  format: null,
})

const planned = (name: keyof Users) => {
  const method = metadataOf(Users).method(name)
  if (method === undefined) throw new Error(`Users has no method ${name}`)
  return time(`${name}, by name`, () => invoke(method, users, offered))
}

printTimings('Arguments by name', [
  time('show, called directly', () => users.show('7')),
  planned('index'),
  planned('show'),
  planned('three'),
  planned('destructured'),
  planned('everything'),
])
