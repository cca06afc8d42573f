/** Sizes of the tests in this folder. With `PROPYLON_FULL_SIZE=1` they are those of docs/reliability.md. */
export function size(short: number, full: number): number {
  return process.env.PROPYLON_FULL_SIZE === '1' ? full : short
}
