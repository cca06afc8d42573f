/** What is measured otherwise than peer by peer: a table of its own. */
import type { Load } from './measure.ts'

export interface Section {
  /** As `--work` takes it. */
  readonly name: string
  readonly title: string
  /** What was done, and how to read it. */
  readonly text: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What a measurement is given. */
export interface Surroundings {
  readonly load: Load
  /** Whether less is enough. */
  readonly quick: boolean
  readonly log: (text: string) => void
}

export type MeasureSection = (surroundings: Surroundings) => Promise<Omit<Section, 'name'>>
