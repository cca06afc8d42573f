/** The classes of the controllers, from which documents and tools are made. */
import { getOrCreate } from '../../base/get-or-create.ts'
import { errorMessage, errorText } from '../../base/thrown.ts'
import type { Logger } from '../../controllers/application.ts'
import type { Mapper } from '../../routing/mapper.ts'
import type { ControllerConstructor } from '../loaded-controller.ts'
import type { ControllerRegistry } from '../registry.ts'

/** The classes of controllers by name. */
export type Classes = ReadonlyMap<string, ControllerConstructor>

/** The parts of an application that documents and tools describe. */
export interface DescribedApplication {
  readonly mapper: Mapper<unknown>
  readonly controllers: ControllerRegistry
  readonly logger: Pick<Logger, 'error'>
}

/** Receives the error of a controller that is left out. */
export type LeaveOut = (error: unknown) => void

/** Something that is made of the classes and the routes of an application. */
export class MadeOfClasses<Made> {
  #last: State<Made> | undefined

  /** Errors of the controllers that were left out, because they do not load or cannot be described. */
  get faults(): readonly unknown[] {
    return this.#last === undefined ? [] : [...this.#last.unloaded, ...this.#last.undescribed]
  }

  /**
   * Returns it. It is made again if a controller was loaded again or a route was added. A controller that does not
   * load or cannot be described is left out, and logged once.
   *
   * @param which - the controllers to load: all, or those that routes name.
   * @returns a promise if controllers may have to be loaded.
   */
  of(
    application: DescribedApplication,
    which: 'all' | 'routed',
    make: (classes: Classes, leaveOut: LeaveOut) => Made,
  ): Made | Promise<Made> {
    const { mapper, controllers } = application
    const last = this.#last
    const hasLoaded = last?.version === controllers.version && last.unloaded.length === 0
    const isCurrent = hasLoaded && last.routes === mapper.routes.length
    // Without its index, the mapper scans for controllers on its next use, as after SIGHUP.
    return isCurrent && mapper._created_regs ? last.made : this.#remake(application, which, make)
  }

  async #remake(
    { mapper, controllers, logger }: DescribedApplication,
    which: 'all' | 'routed',
    make: (classes: Classes, leaveOut: LeaveOut) => Made,
  ): Promise<Made> {
    // The registry knows the controllers after a scan, which the first use of the mapper starts.
    mapper.match('/')
    const routes = mapper.routes.length
    // Read before the controllers load, so that the next call finds a change in the meantime.
    const { version } = controllers
    const routed = () => mapper.routes.flatMap(({ controller }) => controller ?? [])
    const unloaded: unknown[] = []
    const names = which === 'all' ? controllers.names : routed()
    const classes = await load(controllers, names, (error) => unloaded.push(error))
    const last = this.#last
    const isSame = last?.routes === routes && areSame(last.classes, classes)
    const undescribed: unknown[] = isSame ? [...last.undescribed] : []
    const made = isSame ? last.made : make(classes, (error) => undescribed.push(error))
    this.#last = { classes, routes, version, made, unloaded, undescribed }
    const known = getOrCreate(logged, controllers, () => new Set<string>())
    for (const err of this.faults) {
      if (known.has(errorMessage(err))) continue
      known.add(errorMessage(err))
      logger.error(`A controller is left out of documents and tools\n${errorText(err)}`, { err })
    }
    return made
  }
}

/** Messages of the errors that are in the log, by application: documents and tools have the same ones. */
const logged = new WeakMap<ControllerRegistry, Set<string>>()

/** A value, and the classes and routes that it was made of. */
interface State<Made> {
  readonly classes: Classes
  /** Number of routes. */
  readonly routes: number
  /** Version of the controllers before they were loaded. */
  readonly version: number
  readonly made: Made
  /** Errors of controllers that did not load. They are loaded again on the next use. */
  readonly unloaded: readonly unknown[]
  /** Errors of classes that cannot be described. */
  readonly undescribed: readonly unknown[]
}

async function load(controllers: ControllerRegistry, names: Iterable<string>, leaveOut: LeaveOut): Promise<Classes> {
  const classes = new Map<string, ControllerConstructor>()
  for (const name of new Set(names)) {
    try {
      const loaded = await controllers.find(name)
      if (loaded?.kind === 'class') classes.set(name, loaded.controllerClass)
    } catch (error) {
      leaveOut(error)
    }
  }
  return classes
}

/** Returns true if no class was loaded again since. */
function areSame(known: Classes, classes: Classes): boolean {
  if (known.size !== classes.size) return false
  return [...classes].every(([name, controllerClass]) => known.get(name) === controllerClass)
}
