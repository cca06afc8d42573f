/** A measurement with a table of its own. */
import type { Load } from './measure.ts'

export interface Section {
  /** Name for the option `--work`. */
  readonly name: string
  readonly title: string
  /** Description of the measurement and of the table. */
  readonly text: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Arguments of a measurement. */
export interface MeasureContext {
  readonly load: Load
  /** Whether to measure for a shorter time. */
  readonly quick: boolean
  readonly log: (text: string) => void
}

export type MeasureSection = (context: MeasureContext) => Promise<Omit<Section, 'name'>>
