/** Spellings of paths that a server or a file system may take for another path. */
import type { Random } from './random.ts'

/** Changes one place of a path. */
type Mutation = (path: string, random: Random) => string

/** Texts that some decoders or file systems take for a slash. */
const SLASHES = [
  ...['\\', '%2f', '%2F', '%5c', '%5C', '%252f', '%255c', '//', '///', '/./', '/%2e/', '/.;/', '/;/'],
  ...['/;a=1/', '/x/../', '/x/%2e%2e/', '/x/..;/', '/x/..%2f', '/%20/', '/%00/', '/%2f', '%2f/', '/\\', '\\/'],
  // Overlong UTF-8, full-width and division slashes.
  ...['%c0%af', '%e0%80%af', '%f0%80%80%af', '%c1%9c', '%ef%bc%8f', '%e2%88%95', '%u002f', '%u2215'],
]

/** Texts that are appended to a segment. */
const SUFFIXES = [
  ...[';', ';a', ';a=1', '%3b', '%3Ba=1', ';.css', ';/', '.', '..', '...', '%2e', ' ', '%20', '+', '%09', '~'],
  ...['%00', '%00.css', '\0', '%0a', '%0d%0a', '%0d%0ax:%20y', '.html', '.json', '.HTML', '.', '%2ejson', '.txt'],
  ...['::$DATA', ':', '%3a%3a$DATA', '.bak', '.gz', '.br', '*', '%', '%2', '%zz', '%u0000', '%ff', '%c0%80', '%ad'],
]

/** Texts that are appended to a path. */
const ENDS = [
  ...['/', '//', '/.', '/..', '/./', '/%2e', '/..;/', '/%2e%2e', '/;', '/x', '/x/..', '/%20', '%2f', '%5c', '\\'],
  ...['?', '??', '?x', '?x=/../', '#', '#x', '#/../x', '%23', '%3f', '?#', '#?', '%3fx=1', '?;', '&', '&x=1', '/&'],
  ...['?format=json', '?format=html', '?_method=DELETE', '?_method=GET', '?action=index', '?controller=hello'],
  ...['?path_info=/', '?wsgiorg.routing_args=x', '/index', '/index.html', '/index.json', '?v=0123456789abcdef'],
]

/** Texts that are put before a path: other forms of the request target, and places that exist. */
const BEGINNINGS = [
  ...['http://localhost', 'http://localhost:80', 'http://elsewhere.test', 'HTTP://LOCALHOST', 'https://localhost'],
  ...['http://user:word@localhost', 'http:', 'http:/', 'http:///', 'file://', 'ftp://localhost', '//localhost'],
  ...['/', '//', '///', '/./', '/../', '/.', '/..', '/%2e/', '/%2e%2e/', '/..;/', '/;/', '/.;', '\\', '/\\', '%2f'],
  ...['/%2f', '/%5c', '.', '..', '*', '?', '#', ' ', '%00', '/%00', '/%20', '/*/', '/static/..', '/static/%2e%2e'],
  ...['/static', '/files/..', '/files/%2e%2e', '/files/..%2f..', '/files/...', '/public', '/hello/..', '/hello/%2e%2e'],
  ...['/static/..;', '/hello;', '/hello/;', '/files/css/../..', '/~', '/%ef%bb%bf', '/%e2%80%8b', '/%c0%ae%c0%ae'],
]

/** Characters that change to others by case mapping or normalization. */
const LOOKALIKES: Readonly<Record<string, readonly string[]>> = {
  s: ['%c5%bf', '%ef%bd%93', 'ſ'],
  k: ['%e2%84%aa', '%ef%bd%8b'],
  i: ['%c4%b1', '%c4%b0', '%ef%bd%89'],
  e: ['%ef%bd%85', 'e%cc%81'],
  '.': ['%ef%bc%8e', '%c0%ae', '%e3%80%82', '%e0%80%ae', '%u002e'],
  _: ['-', '%2d', '%5f', '__', '.', '%252d', '%ef%bc%bf'],
  '-': ['_', '%5f', '%2d'],
}

const hex = (code: number) => code.toString(16).padStart(2, '0')

function replaceAt(path: string, at: number, text: string): string {
  return path.slice(0, at) + text + path.slice(at + 1)
}

/** Returns the indices of a character. */
function places(path: string, character: string): number[] {
  return [...path].flatMap((each, i) => (each === character ? [i] : []))
}

function encoded(character: string, random: Random): string {
  const code = character.charCodeAt(0)
  const once = random.chance(50) ? `%${hex(code)}` : `%${hex(code).toUpperCase()}`
  switch (random.below(8)) {
    case 0:
      return once.replace('%', '%25')
    case 1:
      return once.replace('%', '%2525')
    case 2:
      return `%u00${hex(code)}`
    case 3:
      // Overlong: two bytes for a character that has one.
      return `%${hex(0xc0 | (code >> 6))}%${hex(0x80 | (code & 0x3f))}`
    default:
      return once
  }
}

const encodeOne: Mutation = (path, random) => {
  const at = random.below(path.length)
  return replaceAt(path, at, encoded(path.charAt(at), random))
}

const encodeSegment: Mutation = (path, random) => {
  const segments = path.split('/')
  const at = random.below(segments.length)
  const [first, depth] = [random.chance(50) ? '%' : '%25', random.chance(80)]
  const segment = [...(segments[at] ?? '')].map((each) =>
    depth || random.chance(50) ? first + hex(each.charCodeAt(0)) : each,
  )
  return segments.with(at, segment.join('')).join('/')
}

const changeCase: Mutation = (path, random) => {
  if (random.chance(25)) return path.toUpperCase()
  const at = random.below(path.length)
  const letter = path.charAt(at)
  return replaceAt(path, at, letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase())
}

const changeSlash: Mutation = (path, random) => {
  const slashes = places(path, '/')
  return slashes.length === 0 ? path : replaceAt(path, random.of(slashes), random.of(SLASHES))
}

const changeAllSlashes: Mutation = (path, random) => {
  const slash = random.of(SLASHES)
  return `/${path.slice(1).replaceAll('/', () => slash)}`
}

const appendToSegment: Mutation = (path, random) => {
  const segments = path.split('/')
  const at = random.below(segments.length)
  return segments.with(at, (segments[at] ?? '') + random.of(SUFFIXES)).join('/')
}

const useLookalike: Mutation = (path, random) => {
  const at = random.below(path.length)
  const others = LOOKALIKES[path.charAt(at).toLowerCase()]
  return others === undefined ? path : replaceAt(path, at, random.of(others))
}

const insertByte: Mutation = (path, random) => {
  const at = random.below(path.length + 1)
  // Few servers accept bytes beyond ASCII in a target.
  const byte = random.chance(80) ? 0x21 + random.below(0x5e) : random.below(256)
  return path.slice(0, at) + String.fromCharCode(byte) + path.slice(at)
}

const append: Mutation = (path, random) => path + random.of(ENDS)

const prepend: Mutation = (path, random) => random.of(BEGINNINGS) + path

/** Climbs out of a place that exists, as often as it takes or once more or less. */
const climb: Mutation = (path, random) => {
  const up = random.of(['../', '%2e%2e/', '..%2f', '.%2e/', '..\\', '..%5c', '%252e%252e/', '..;/', '....//'])
  return (
    random.of(['/static/', '/files/', '/files/css/', '/hello/', '/']) + up.repeat(1 + random.below(4)) + path.slice(1)
  )
}

const MUTATIONS: readonly Mutation[] = [
  ...[encodeOne, encodeOne, encodeOne, encodeSegment, changeCase, changeSlash, changeSlash, changeAllSlashes],
  ...[appendToSegment, appendToSegment, useLookalike, insertByte, append, append, prepend, prepend, climb],
]

/** Returns another spelling of a path, with one to four changes. May return the path itself. */
export function spellingOf(path: string, random: Random): string {
  let spelling = path
  do spelling = random.of(MUTATIONS)(spelling, random)
  while (random.chance(35))
  // Parsers refuse most targets without a slash or scheme before anything else looks at them.
  return /^(?:\/|[a-z]+:\/\/)/i.test(spelling) || random.chance(10) ? spelling : `/${spelling}`
}
