/** The JSON of a user and a form, declared by schemas of several libraries and not declared. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { body } from '../../src/http/converters/body-argument.ts'
import { abort, FrameworkApp, Mapper, WSGIController } from '../../src/index.ts'
import { serve } from '../../src/wsgi/node/index.ts'
import { findUser, problemIn } from '../works/data.ts'
import { ready } from './ready.mjs'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}\.[a-z]{2,}$/i

/** A form with at least the name of the user. */
type FormSchema = StandardSchemaV1<unknown, { readonly name: string }>

/** Returns a controller with schemas of one library. */
function declared(id: StandardSchemaV1<unknown, string>, form: FormSchema, user: StandardSchemaV1) {
  return class extends WSGIController {
    static args = { show: { id }, checked: { id }, create: { user: body(form) } }
    static results = { checked: user }

    show(id: string) {
      return findUser(id) ?? abort(404)
    }

    checked(id: string) {
      return findUser(id) ?? abort(404)
    }

    create(user: { readonly name: string }) {
      this.response.status = 201
      return `Created ${user.name}`
    }
  }
}

class PlainController extends WSGIController {
  show(id: string) {
    return findUser(id) ?? abort(404)
  }

  async create() {
    const form = await this.request.form()
    const problem = problemIn((name: string) => form.get(name))
    if (problem !== undefined) abort(400, problem)
    this.response.status = 201
    return `Created ${form.get('name')}`
  }
}

const ZodController = declared(
  z.string().max(64),
  z.object({
    name: z.string().regex(NAME),
    email: z.string().regex(EMAIL),
    full_name: z.string().min(1).max(200),
    password: z.string().min(8).max(1024),
  }),
  z.object({ name: z.string(), full_name: z.string(), email: z.string(), link: z.string() }),
)

const ValibotController = declared(
  v.pipe(v.string(), v.maxLength(64)),
  v.object({
    name: v.pipe(v.string(), v.regex(NAME)),
    email: v.pipe(v.string(), v.regex(EMAIL)),
    full_name: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
    password: v.pipe(v.string(), v.minLength(8), v.maxLength(1024)),
  }),
  v.object({ name: v.string(), full_name: v.string(), email: v.string(), link: v.string() }),
)

const ArkTypeController = declared(
  type('string <= 64'),
  type({
    name: NAME,
    email: EMAIL,
    full_name: '1 <= string <= 200',
    password: '8 <= string <= 1024',
  }),
  type({ name: 'string', full_name: 'string', email: 'string', link: 'string' }),
)

const map = new Mapper()
map.connect('/{controller}', { action: 'create', conditions: { method: ['POST'] } })
map.connect('/{controller}/{action}/{id}')

const app = new FrameworkApp({
  map,
  controllers: {
    plain: PlainController,
    zod: ZodController,
    valibot: ValibotController,
    arktype: ArkTypeController,
  },
})

const { port } = await serve(app, { backlog: 1024 })
ready(port)
