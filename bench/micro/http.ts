/** Measures `Request` and `Response` as controllers use them. */
import { Request, Response } from '../../src/index.ts'
import { createEnviron } from '../../src/wsgi/environ.ts'
import { printTimings, time, timeAsync } from './time.ts'

const environ = createEnviron({
  url: '/users?page=2&sort=name&q=J%C3%B6rg+M',
  headers: [
    ['Host', 'example.org'],
    ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['Cookie', 'session=0123456789abcdef; theme=dark; lang=en'],
    ['User-Agent', 'bench'],
  ],
})
const form = 'name=joe&full_name=Joe+M%C3%BCller&email=joe%40example.org&password=correct+horse'
const start = () => () => {}
const document = 'x'.repeat(2000)

printTimings('Requests', [
  time('a new one', () => new Request(environ)),
  time('a header', () => new Request(environ).header('user-agent')),
  time('the query', () => new Request(environ).query.get('q')),
  time('the cookies', () => new Request(environ).cookies.theme),
  time('the best media type of three', () =>
    new Request(environ).accept('application/json', 'text/html', 'text/plain'),
  ),
  time('the absolute URL', () => new Request(environ).url),
  await timeAsync('a form of four fields', async () => {
    const posted = createEnviron({
      method: 'POST',
      url: '/users',
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: form,
    })
    return (await new Request(posted).form()).get('email')
  }),
])

printTimings('Responses', [
  time('text, sent', () => new Response('Hello World').send(environ, start)),
  time('2,000 characters, sent', () => new Response(document).send(environ, start)),
  time('with a status and two headers, sent', () =>
    new Response('Hello World', {
      status: 201,
      headers: { Location: '/users/joe', 'X-Greeting': 'hello' },
    }).send(environ, start),
  ),
  time('with a cookie, sent', () => {
    const response = new Response('Hello World')
    response.setCookie('session', '0123456789abcdef', { maxAge: 3600 })
    return response.send(environ, start)
  }),
  time('conditional, with an entity tag of its body', () =>
    new Response(document).addEntityTag().makeConditional(new Request(environ)).send(environ, start),
  ),
])
