/** Messages of the compiler for wrong uses of a mapper. */
import { type ConnectOptions, Mapper } from 'propylon/routing'

const map = new Mapper()
  .connect('home', '/')
  .connect('post', '/posts/{id}')
  .connect('paged', '/pages/{page}', { page: 1 })
  .resource('user', 'users', { pathPrefix: '/{team}' })
declare const options: ConnectOptions
void [map, options]

// url()

// error: TS2769: …Argument of type '"psot"' is not assignable to parameter of type '"edit_user" | "formatted_edit_user" | "formatted_new_user" | "formatted_user" | "formatted_users" | "home" | "new_user" | "paged" | "post" | "user" | "users"'.
map.url('psot')

// error: TS2769: …Argument of type '"psot"' is not assignable to parameter of type '"edit_user" | "formatted_edit_user" | "formatted_new_user" | "formatted_user" | "formatted_users" | "home" | "new_user" | "paged" | "post" | "user" | "users"'.
map.url('psot', { id: 1 })

// error: TS2769: …Argument of type '"post"' is not assignable to parameter of type '"post" & MissingValues<"id">'. Type 'string' is not assignable to type 'MissingValues<"id">'.
map.url('post')

// error: TS2769: …Argument of type '"user"' is not assignable to parameter of type '"user" & MissingValues<"id" | "team">'. Type 'string' is not assignable to type 'MissingValues<"id" | "team">'.
map.url('user')

// error: TS2769: …Argument of type '{}' is not assignable to parameter of type 'PathValues<"id", never>'. Property 'id' is missing in type '{}' but required in type '{ readonly id: ParameterValue; }'.
map.url('post', {})

// error: TS2769: …Object literal may only specify known properties, and 'idd' does not exist in type 'PathValues<"id", never>'.
map.url('post', { idd: 1 })

// error: TS2769: …Object literal may only specify known properties, and 'page' does not exist in type 'PathValues<"id", never>'.
map.url('post', { id: 1, page: 2 })

// error: TS2769: …Object literal may only specify known properties, and 'page' does not exist in type 'PathValues<never, never>'.
map.url('home', { page: 2 })

// error: TS2769: …Object literal may only specify known properties, but 'pag' does not exist in type 'PathValues<never, "page">'. Did you mean to write 'page'?
map.url('paged', { pag: 2 })

// error: TS2769: …Type 'null' is not assignable to type 'ParameterValue'.
map.url('post', { id: null })

// error: TS2769: …Type 'string[]' is not assignable to type 'ParameterValue'.
map.url('post', { id: ['a'] })

// error: TS2769: …Object literal may only specify known properties, but 'qery' does not exist in type 'UrlOptions'. Did you mean to write 'query'?
map.url('post', { id: 1 }, { qery: {} })

// error: TS2769: …Type '{}' is not assignable to type 'QueryValue'. Type '{}' is not assignable to type 'undefined'.
map.url('post', { id: 1 }, { query: { a: {} } })

// error: TS2769: …Argument of type '{ team: number; id: number; }' is not assignable to parameter of type 'PathValues<"format" | "id" | "team", never>'. Property 'format' is missing in type '{ team: number; id: number; }' but required in type '{ readonly format: ParameterValue; readonly id: ParameterValue; readonly team: ParameterValue; }'.
map.url('formatted_user', { team: 1, id: 1 })

// connect()

// error: TS2322: Type '{ method: "GET"; }' is not assignable to type '{ readonly method: "GET"; } & NotAnOption<"condtions">'. Property 'notAnOption' is missing in type '{ method: "GET"; }' but required in type 'NotAnOption<"condtions">'.
new Mapper().connect('a', '/a', { condtions: { method: 'GET' } })

// error: TS2769: …Type '{ method: "GET"; }' is not assignable to type '{ readonly method: "GET"; } & NotAnOption<"condtions">'. Property 'notAnOption' is missing in type '{ method: "GET"; }' but required in type 'NotAnOption<"condtions">'.
new Mapper().connect('/a', { condtions: { method: 'GET' } })

// error: TS2741: Property 'notAnOption' is missing in type '{}' but required in type 'NotAnOption<"condtions">'.
new Mapper().connect(null, '/a', { condtions: {} })

// error: TS2322: Type '{ id: "x"; }' is not assignable to type '{ readonly id: "x"; } & NotAnOption<"requirments">'. Property 'notAnOption' is missing in type '{ id: "x"; }' but required in type 'NotAnOption<"requirments">'.
new Mapper().connect('a', '/a', { requirments: { id: 'x' } })

// error: TS2561: Object literal may only specify known properties, but 'methd' does not exist in type 'Conditions'. Did you mean to write 'method'?
new Mapper().connect('a', '/a', { conditions: { methd: 'GET' } })

// error: TS2322: Type '"GET"' is not assignable to type '"GET" & NotAnOption<"methd">'. Type 'string' is not assignable to type 'NotAnOption<"methd">'.
new Mapper().connect('a', '/a', { conditions: { methd: 'GET', subDomain: true } })

// error: TS2322: Type 'number' is not assignable to type 'string'.
new Mapper().connect('a', '/a', { controller: 5 })

// resource() and submapper()

// error: TS2561: Object literal may only specify known properties, but 'pathPrefx' does not exist in type 'ResourceOptions'. Did you mean to write 'pathPrefix'?
new Mapper().resource('a', 'as', { pathPrefx: '/x' })

// error: TS2322: Type '"/x"' is not assignable to type '"/x" & NotAnOption<"pathPrefx">'. Type 'string' is not assignable to type 'NotAnOption<"pathPrefx">'.
new Mapper().resource('a', 'as', { pathPrefx: '/x', only: ['index'] })

// error: TS2820: Type '"indx"' is not assignable to type 'ResourceAction'. Did you mean '"index"'?
new Mapper().resource('a', 'as', { only: ['indx'] })

// error: TS2353: Object literal may only specify known properties, and 'page' does not exist in type 'ResourceOptions'.
new Mapper().resource('a', 'as', { page: 1 })

// error: TS2741: Property 'notAnOption' is missing in type '{}' but required in type 'NotAnOption<"pathPrefx">'.
new Mapper().submapper({ pathPrefx: {} })
