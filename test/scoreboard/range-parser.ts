/**
 * Cases of range-parser, which `send` and Express use: a Range field and the size of the content. A malformed field is
 * ignored there (200), an unsatisfiable one is 416, and a range is 206.
 */
import { send } from './client.ts'
import { judge } from './referee.ts'
import { onSite } from './site.ts'

const SEVERAL =
  'Several ranges are answered with the whole content: RFC 9110 §14.2 allows a server to ignore Range.'
const MALFORMED = 'RFC 9110 §14.2 allows a server to ignore the whole field if one range is malformed.'
const BACKWARDS = 'RFC 9110 §14.1.1 calls the range invalid, and §14.2 allows a server to ignore it.'

type Row = readonly [size: 200 | 1000, range: string, outcome: string, reason?: string]

const ROWS: readonly Row[] = [
  [200, 'bytes=100200', '200'],
  [200, 'bytes=,100200', '200'],
  [200, 'malformed', '200'],
  [200, 'bytes=x-100', '200'],
  [200, 'bytes=100-x', '200'],
  [200, 'bytes=--100', '200'],
  [200, 'bytes=100--200', '200'],
  [200, 'bytes=-', '200'],
  [200, 'bytes= - ', '200'],
  [200, 'bytes=', '200'],
  [200, 'bytes=,', '200'],
  [200, 'bytes= , , ', '200'],
  [200, 'bytes=100-200-300', '200'],
  [200, 'bytes=-100-150', '200'],
  [200, 'bytes=01a-150', '200'],
  [200, 'bytes=100-15b0', '200'],
  [200, 'bytes=y-v,x-', '200'],
  [200, 'bytes=500-600', '416'],
  [200, 'bytes=500-600,601-700', '416', SEVERAL],
  [200, 'bytes=500-20', '416', BACKWARDS],
  [200, 'bytes=500-999', '416'],
  [200, 'bytes=abc-def,500-999', '416', MALFORMED],
  [1000, 'bytes=0-499', '206 0-499'],
  [200, 'bytes=0-499', '206 0-199'],
  [1000, 'bytes=40-80', '206 40-80'],
  [1000, 'bytes=-400', '206 600-999'],
  [1000, 'bytes=400-', '206 400-999'],
  [1000, 'bytes=0-', '206 0-999'],
  [1000, 'bytes=0-0', '206 0-0'],
  [1000, 'bytes=-1', '206 999-999'],
  [1000, 'bytes=100-200,x-', '206 100-200', MALFORMED],
  [1000, 'bytes=x-,0-100,y-', '206 0-100', MALFORMED],
  [1000, 'bytes=40-80,81-90,-1', '206 40-80,81-90,999-999', SEVERAL],
  [200, 'bytes=0-499,1000-,500-999', '206 0-199', SEVERAL],
  [1000, 'bytes= , 0-10', '206 0-10', MALFORMED],
  [
    1000,
    'items=0-5',
    '206 0-5',
    'RFC 9110 §14.2 requires to ignore an unknown unit. Callers of range-parser check the unit.',
  ],
]

export const rangeParser = onSite({
  name: 'range-parser',
  version: '1.2.1 (b49e00f)',
  source: 'https://github.com/jshttp/range-parser/tree/b49e00f6d3c51f3a417fe8da5ed63c0af7621450/test',
  judges: 'ranges of `staticFiles`',
  judge: (port) =>
    judge(
      ROWS.map(([size, range, outcome, reason]) => ({
        name: `${range} of ${size} bytes`,
        input: { path: `/files/${size}.txt`, headers: { Range: range } },
        allowed: [outcome],
        reason,
      })),
      async (input) => {
        const { status, headers } = await send(port, input)
        const [, positions] = /^bytes (\d+-\d+)\//.exec(headers['content-range'] ?? '') ?? []
        return positions === undefined ? String(status) : `${status} ${positions}`
      },
    ),
})
