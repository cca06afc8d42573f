/** Statistics of repeated measurements. */

export interface Ratio {
  readonly ratio: number
  /** Bounds of the 95 % confidence interval. */
  readonly low: number
  readonly high: number
}

const RESAMPLES = 1000

/** Returns the median ratio of measurements that were made in pairs, with a bootstrap interval. */
export function ratioWithInterval(ours: readonly number[], theirs: readonly number[]): Ratio {
  const ratios = ours.map((own, index) => own / (theirs[index] ?? Number.NaN)).filter(Number.isFinite)
  const medians = Array.from({ length: RESAMPLES }, () => median(resample(ratios))).sort((a, b) => a - b)
  return {
    ratio: median(ratios),
    low: medians[Math.floor(0.025 * RESAMPLES)] ?? Number.NaN,
    high: medians[Math.floor(0.975 * RESAMPLES)] ?? Number.NaN,
  }
}

/** Returns a ratio with its interval for a table: 1 for the baseline. */
export function ratioText({ ratio, low, high }: Ratio): string {
  if (low === 1 && high === 1) return '1'
  return `**${ratio.toFixed(2)}** (${low.toFixed(2)}–${high.toFixed(2)})`
}

function resample(values: readonly number[]): number[] {
  return values.map(() => values[Math.floor(Math.random() * values.length)] ?? Number.NaN)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
