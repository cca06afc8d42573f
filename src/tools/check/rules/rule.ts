import type { Catalog } from '../../../http/languages/catalog.ts'
import type { Descriptions, Faults } from '../descriptions.ts'
import type { Finding } from '../finding.ts'
import type { ControllerModel } from '../model.ts'
import type { ProjectModules } from '../modules.ts'
import type { RoutingFiles } from '../routing-files.ts'
import type { TemplateFiles } from '../template-files.ts'
import type { Wiring } from '../wiring.ts'

/** An application as the rules read it. */
export interface Project {
  readonly wiring: Wiring
  readonly modules: ProjectModules
  readonly files: RoutingFiles
  /** The paths of the module that creates the application and of the files of controllers. */
  readonly entries: readonly string[]
  /** The descriptions of controllers that declare arguments or results, if controllers may be loaded. */
  readonly descriptions: Descriptions
  /** Declarations that the framework would ignore, if controllers may be loaded. */
  readonly faults: Faults
  /** Undefined if they are not known. */
  readonly templates: TemplateFiles | undefined
  /** Undefined if the application has none. */
  readonly messages: readonly Catalog[] | undefined
}

/** Reports mistakes in an application as a whole. */
export type ProjectRule = (project: Project) => Iterable<Finding>

/** Reports mistakes in one controller, which the findings need not name. */
export type ControllerRule = (model: ControllerModel, project: Project) => Iterable<Finding>
