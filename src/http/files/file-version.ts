/**
 * Versions of a file: from its stats, and the fingerprint of its content.
 *
 * @module
 */
import type { BigIntStats } from 'node:fs'

/** Number of hexadecimal digits of a fingerprint: the first ones of the content's SHA-256. */
export const FINGERPRINT_LENGTH = 16

/**
 * Time for which a changed file may change again without new stats, in milliseconds. File systems store times to 2 seconds at
 * worst, and Linux to some milliseconds.
 */
const UNSETTLED = 2000

/** The stats of a file that change with its content, as a text. */
export interface FileVersion {
  readonly text: string
  /** Whether any change from now on has another text. */
  readonly settled: boolean
}

/**
 * Returns the version of a file: size, time of the last modification and of the last status change. Without the latter, two
 * deployments with fixed modification times (containers, Nix) would be equal.
 */
export function versionOf({ size, mtimeNs, ctimeNs }: BigIntStats): FileVersion {
  return {
    text: `${size.toString(36)}-${mtimeNs.toString(36)}-${ctimeNs.toString(36)}`,
    settled: Number(ctimeNs / 1_000_000n) + UNSETTLED < Date.now(),
  }
}
