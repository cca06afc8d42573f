/** Description of a service, for documents and MCP. */
import type { ProcedureDescription } from './procedure-description.ts'

/** A service: its names and its procedures. */
export interface ServiceDescription {
  readonly title: string
  readonly version: string
  /** Empty if there is none. */
  readonly description: string
  /** Sorted by public name. */
  readonly procedures: readonly ProcedureDescription[]
}
