import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, type Chunk, createEnviron, type Environ, lint, run, type WSGIApplication } from 'propylon/wsgi'

const wrong = (value: unknown) => JSON.parse('{}', () => value)

const start =
  (body: () => ReturnType<WSGIApplication>): WSGIApplication =>
  (_environ, start_response) => {
    start_response('200 OK', [])
    return body()
  }

function* stream(...chunks: Chunk[]): Generator<Chunk> {
  yield* chunks
}

/** Bodies whose length is not their Content-Length. */
const lengths: [what: string, length: string, chunks: () => Body, message: RegExp][] = [
  [
    'a body shorter than its Content-Length',
    '5',
    () => ['abc'],
    /^Error: Content-Length is 5, but the body has only 3 bytes\. Count bytes of UTF-8 /,
  ],
  ['an empty body with a Content-Length', '5', () => [], /is 5, but the body has only 0 bytes/],
  ['a body longer than its Content-Length', '2', () => ['abc'], /is 2, but the body has at least 3 bytes/],
  [
    'a first chunk longer than the Content-Length',
    '2',
    () => stream('abc', 'd'),
    /is 2, but the body has at least 3 bytes/,
  ],
  ['chunks longer than the Content-Length', '4', () => stream('abc', 'de'), /is 4, but the body has at least 5 bytes/],
  ['chunks shorter than the Content-Length', '9', () => stream('abc', 'de'), /is 9, but the body has only 5 bytes/],
  ['a chunk with the Content-Length 0', '0', () => stream('a'), /is 0, but the body has at least 1 bytes/],
]

/** Applications that run() refuses without lint(). */
const refused: [what: string, app: WSGIApplication, message: RegExp][] = [
  ['no start_response', () => ['x'], /start_response was not called/],
  ['an empty body without start_response', () => [], /start_response was not called/],
  [
    'a late start_response',
    function* (_environ, start_response) {
      yield 'x'
      start_response('200 OK', [])
    },
    /start_response was not called/,
  ],
  [
    'a second start_response',
    (_environ, start_response) => {
      start_response('200 OK', [])
      start_response('200 OK', [])
      return []
    },
    /second time without excInfo/,
  ],
  [
    'an informational status',
    (_environ, start_response) => {
      start_response('101 Switching Protocols', [])
      return []
    },
    /informational/,
  ],
  [
    'an invalid status',
    (_environ, start_response) => {
      start_response('OK', [])
      return []
    },
    /not three digits/,
  ],
  [
    'headers that are not an array',
    (_environ, start_response) => {
      start_response('200 OK', wrong({ a: 'b' }))
      return []
    },
    /are not an array. Pass pairs/,
  ],
  [
    'a header that is not a pair',
    (_environ, start_response) => {
      start_response('200 OK', [wrong('a')])
      return []
    },
    /not a pair/,
  ],
  [
    'an invalid header name',
    (_environ, start_response) => {
      start_response('200 OK', [['a b', 'c']])
      return []
    },
    /not a token/,
  ],
  [
    'a hop-by-hop header',
    (_environ, start_response) => {
      start_response('200 OK', [['Connection', 'close']])
      return []
    },
    /concerns the connection/,
  ],
  [
    'a Content-Length in words',
    (_environ, start_response) => {
      start_response('200 OK', [['Content-Length', 'five']])
      return []
    },
    /number of bytes/,
  ],
  ...['', '-1', '+5', ' 5', '5 ', '1e3', '5/', '5:', '1'.repeat(16)].map((length): (typeof refused)[number] => [
    `the Content-Length ${JSON.stringify(length)}`,
    (_environ, start_response) => {
      start_response('200 OK', [['Content-Length', length]])
      return []
    },
    /number of bytes/,
  ]),
  [
    'a status that is a number',
    (_environ, start_response) => {
      start_response(wrong(200), [])
      return []
    },
    /not three digits/,
  ],
  [
    'a header name that is a number',
    (_environ, start_response) => {
      start_response('200 OK', [wrong([5, 'x'])])
      return []
    },
    /header name 5 is not a token/,
  ],
  [
    'two Content-Lengths of zero',
    (_environ, start_response) => {
      start_response('200 OK', [
        ['Content-Length', '0'],
        ['Content-Length', '0'],
      ])
      return []
    },
    /Content-Length twice/,
  ],
  [
    'two Content-Lengths',
    (_environ, start_response) => {
      start_response('200 OK', [
        ['Content-Length', '1'],
        ['content-length', '1'],
      ])
      return ['x']
    },
    /Content-Length twice/,
  ],
  ...lengths.map(([what, length, chunks, message]): (typeof refused)[number] => [
    what,
    (_environ, start_response) => {
      start_response('200 OK', [['Content-Length', length]])
      return chunks()
    },
    message,
  ]),
  [
    'a second start_response with null for excInfo',
    (_environ, start_response) => {
      start_response('200 OK', [])
      start_response('200 OK', [], null)
      return []
    },
    /second time without excInfo/,
  ],
  [
    'a promise of an undefined body',
    async (_environ, start_response) => {
      start_response('200 OK', [])
      return wrong(undefined)
    },
    /returned undefined/,
  ],
  [
    'a promise of an undefined body after write()',
    async (_environ, start_response) => {
      start_response('200 OK', [])('begun')
      return wrong(undefined)
    },
    /returned undefined/,
  ],
  ['a body of bare bytes', start(() => wrong(new Uint8Array(1))), /bare bytes/],
  ['an undefined body', start(() => wrong(undefined)), /returned undefined/],
  ['a body that is not iterable', start(() => wrong({})), /not iterable/],
  ['a chunk that is a number', start(() => wrong([1])), /chunks are strings or Uint8Arrays/],
  ['a chunk that is a promise', start(() => wrong([Promise.resolve('x')])), /is a promise/],
  [
    'a chunk of a generator that is null',
    start(function* () {
      yield wrong(null)
    }),
    /chunks are strings/,
  ],
  [
    'write() with a number',
    (_environ, start_response) => {
      start_response('200 OK', [])(wrong(1))
      return []
    },
    /chunks are strings/,
  ],
  [
    'write() from the body',
    function* (_environ, start_response) {
      const write = start_response('200 OK', [])
      write('x')
      yield 'y'
    },
    /after the application returned its body/,
  ],
]

describe('run refuses', () => {
  it('adds the variables that are missing to the environ', async () => {
    const app: WSGIApplication = async (environ, start_response) => {
      start_response('200 OK', [])
      environ.REMOTE_USER = 'ann'
      const { REQUEST_METHOD, PATH_INFO, QUERY_STRING, HTTP_HOST } = environ
      const input = await environ['wsgi.input'].read()
      return [[REQUEST_METHOD, PATH_INFO, QUERY_STRING, HTTP_HOST ?? 'no host', input.length].join(' ')]
    }
    const environ: Partial<Environ> = { PATH_INFO: '/a', QUERY_STRING: 'b=c' }
    assert.equal(await (await run(lint(app), environ)).text(), 'GET /a b=c no host 0')
    assert.equal(environ.REMOTE_USER, 'ann')
  })

  for (const [what, app, message] of refused) {
    it(what, async () => {
      await assert.rejects(async () => (await run(app, createEnviron())).bytes(), message)
    })
  }
})

describe('run', () => {
  it('allows a HEAD request any Content-Length without a body, but not with another body', async () => {
    const app =
      (body: string[]): WSGIApplication =>
      (_environ, start_response) => {
        start_response('200 OK', [['Content-Length', '5']])
        return body
      }
    const environ = () => createEnviron({ method: 'HEAD' })
    for (const body of [[], ['12345']]) {
      assert.deepEqual((await run(app(body), environ())).headers, [['Content-Length', '5']])
    }
    await assert.rejects(run(app(['123']), environ()), /is 5, but the body has only 3 bytes/)
  })

  for (const length of ['0', '2']) {
    it(`throws before the head if the first chunk exceeds the Content-Length ${length}`, async () => {
      const app: WSGIApplication = (_environ, start_response) => {
        start_response('200 OK', [['Content-Length', length]])
        return stream('abc')
      }
      await assert.rejects(run(app, createEnviron()), /at least 3 bytes/)
    })
  }

  it('does not pass on a chunk that exceeds the Content-Length', async () => {
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [['Content-Length', '4']])
      return stream('abc', 'de')
    }
    const { body } = await run(app, createEnviron())
    const received: string[] = []
    await assert.rejects(async () => {
      for await (const chunk of body) received.push(new TextDecoder().decode(chunk))
    }, /at least 5 bytes/)
    assert.deepEqual(received, ['abc'])
  })

  it('sends nothing that is written for a HEAD request', async () => {
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [])('written')
      return ['body']
    }
    const result = await run(app, createEnviron({ method: 'HEAD' }))
    assert.equal(await result.text(), '')
  })

  it('sends the head with a write() of nothing, which no other response replaces', async () => {
    const gate = Promise.withResolvers<void>()
    const app: WSGIApplication = async (_environ, start_response) => {
      start_response('200 OK', [])('')
      await gate.promise
      start_response('503 Service Unavailable', [], new Error('out of order'))
      return ['sorry']
    }
    const result = await run(app, createEnviron())
    assert.equal(result.status, '200 OK')
    gate.resolve()
    await assert.rejects(result.text(), /out of order/)
  })

  it('closes a body that the application returns after the client has left', async () => {
    const left = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<string>()
    const app: WSGIApplication = async (_environ, start_response) => {
      start_response('200 OK', [])('begun')
      await left.promise
      return Object.assign(['x'], { close: () => closed.resolve('closed') })
    }
    const result = await run(app, createEnviron())
    await result.body.close()
    left.resolve()
    assert.equal(await closed.promise, 'closed')
  })

  it('throws an error after write() from close() if the body was not read', async () => {
    const app: WSGIApplication = async (_environ, start_response) => {
      start_response('200 OK', [])('written')
      throw new Error('after write()')
    }
    const result = await run(app, createEnviron())
    await assert.rejects(result.body.close(), /after write\(\)/)
  })

  it('returns status, headers and body', async () => {
    const result = await run((_environ, start_response) => {
      start_response('201 Made', [['X-A', '1']])
      return ['a', 'é']
    }, createEnviron())
    assert.equal(result.status, '201 Made')
    assert.deepEqual(result.headers, [
      ['X-A', '1'],
      ['Content-Length', '3'],
    ])
    assert.equal(await result.text(), 'aé')
    assert.equal(await result.text(), '')
  })

  it('accepts an object with an application', async () => {
    assert.equal(await (await run({ wsgi: start(() => ['x']) }, createEnviron())).text(), 'x')
  })

  it('accepts a string as a body, with its characters as chunks', async () => {
    assert.equal(
      await (
        await run(
          start(() => wrong('Hello')),
          createEnviron(),
        )
      ).text(),
      'Hello',
    )
  })

  it('runs a synchronous application synchronously', async () => {
    let called = false
    const result = run((_environ, start_response) => {
      called = true
      start_response('200 OK', [])
      return []
    }, createEnviron())
    assert.equal(called, true)
    await result
  })

  it('pulls only the chunks that are read', async () => {
    let pulled = 0
    const app = start(function* (): Generator<Chunk> {
      for (;;) {
        pulled++
        yield 'x'
      }
    })
    const { body } = await run(app, createEnviron())
    let read = 0
    for await (const _chunk of body) if (++read === 3) break
    assert.equal(pulled, 3)
  })

  it('ends the generator and closes the body once when it is closed', async () => {
    const events: string[] = []
    const app = start(() =>
      Object.assign(
        (function* (): Generator<Chunk> {
          try {
            yield 'x'
          } finally {
            events.push('return')
          }
        })(),
        { close: () => void events.push('close') },
      ),
    )
    const { body } = await run(app, createEnviron())
    await body.close()
    await body.close()
    assert.deepEqual(events, ['return', 'close'])
  })

  it('throws the error of close()', async () => {
    const app = start(() => Object.assign(['x'], { close: async () => Promise.reject(new Error('cannot')) }))
    await assert.rejects((await run(app, createEnviron())).text(), /cannot/)
  })

  it('throws the error of the body, then that of close()', async () => {
    const app = start(() =>
      Object.assign(
        (function* (): Generator<Chunk> {
          yield 'x'
          throw new Error('first')
        })(),
        {
          close: () => {
            throw new Error('second')
          },
        },
      ),
    )
    await assert.rejects((await run(app, createEnviron())).text(), (error) => {
      assert.ok(error instanceof AggregateError)
      assert.deepEqual(error.errors.map(String), ['Error: first', 'Error: second'])
      return true
    })
  })

  it('throws the error of an application after write()', async () => {
    const app: WSGIApplication = async (_environ, start_response) => {
      start_response('200 OK', [])('begun')
      await Promise.resolve()
      throw new Error('broken')
    }
    const result = await run(app, createEnviron())
    await assert.rejects(result.text(), /broken/)
  })

  it('throws excInfo from start_response after write()', async () => {
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', [])('begun')
      start_response('500 Internal Server Error', [], new Error('late'))
      return []
    }
    await assert.rejects(run(app, createEnviron()), /late/)
  })

  it('ignores later changes of the headers', async () => {
    const headers: [string, string][] = [['X-A', '1']]
    const app: WSGIApplication = (_environ, start_response) => {
      start_response('200 OK', headers)
      headers.push(['X-B', '2'])
      return ['x']
    }
    assert.deepEqual((await run(app, createEnviron())).headers, [
      ['X-A', '1'],
      ['Content-Length', '1'],
    ])
  })

  const bodyless: [status: string, length: string[]][] = [
    ['204 No Content', []],
    ['205 Reset Content', ['0']],
    ['304 Not Modified', ['5']],
  ]
  for (const [status, length] of bodyless) {
    it(`returns no body, and the Content-Length [${length}], for ${status}`, async () => {
      const app: WSGIApplication = (_environ, start_response) => {
        start_response(status, [
          ['Content-Length', '5'],
          ['X-A', '1'],
        ])
        return ['never']
      }
      const result = await run(app, createEnviron())
      const headers = new Headers(result.headers)
      assert.deepEqual([headers.get('Content-Length'), headers.get('X-A')], [length[0] ?? null, '1'])
      assert.equal(await result.text(), '')
    })
  }

  for (const length of ['0', '10', '19', '000000000000012']) {
    it(`accepts the Content-Length ${length}`, async () => {
      const app: WSGIApplication = (_environ, start_response) => {
        start_response('200 OK', [['Content-Length', length]])
        return ['x'.repeat(Number(length))]
      }
      const result = await run(app, createEnviron())
      assert.deepEqual(result.headers, [['Content-Length', length]])
      assert.equal((await result.text()).length, Number(length))
    })
  }

  it('throws a TypeError for a value that is not an application', async () => {
    await assert.rejects(run(wrong({ wsgi: 1 }), createEnviron()), TypeError)
  })
})
