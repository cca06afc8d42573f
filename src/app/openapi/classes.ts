/** The classes of the controllers, from which documents and tools are made. */
import type { Mapper } from '../../routing/mapper.ts'
import type { ControllerConstructor } from '../loaded-controller.ts'
import type { ControllerRegistry } from '../registry.ts'

/** The classes of controllers by name. */
export type Classes = ReadonlyMap<string, ControllerConstructor>

/** The parts of an application that documents and tools describe. */
export interface DescribedApplication {
  readonly mapper: Mapper<unknown>
  readonly controllers: ControllerRegistry
}

/** Something that is made of the classes and the routes of an application. */
export class MadeOfClasses<Made> {
  #last: State<Made> | undefined

  /**
   * Returns it. It is made again if a controller was loaded again or a route was added.
   *
   * @param which - the controllers to load: all, or those that routes name.
   * @returns a promise if controllers may have to be loaded.
   * @throws ControllerLoadError, as a rejection, if a controller does not load.
   */
  of(
    application: DescribedApplication,
    which: 'all' | 'routed',
    make: (classes: Classes) => Made,
  ): Made | Promise<Made> {
    const { mapper, controllers } = application
    const last = this.#last
    const isCurrent = last?.version === controllers.version && last.routes === mapper.routes.length
    // Without its index, the mapper scans for controllers on its next use, as after SIGHUP.
    return isCurrent && mapper._created_regs ? last.made : this.#remake(application, which, make)
  }

  async #remake(
    { mapper, controllers }: DescribedApplication,
    which: 'all' | 'routed',
    make: (classes: Classes) => Made,
  ): Promise<Made> {
    // The registry knows the controllers after a scan, which the first use of the mapper starts.
    mapper.match('/')
    const routes = mapper.routes.length
    // Read before the controllers load, so that the next call finds a change in the meantime.
    const { version } = controllers
    const routed = () => mapper.routes.flatMap(({ controller }) => controller ?? [])
    const classes = await load(controllers, which === 'all' ? controllers.names : routed())
    const last = this.#last
    const isSame = last?.routes === routes && areSame(last.classes, classes)
    const made = isSame ? last.made : make(classes)
    this.#last = { classes, routes, version, made }
    return made
  }
}

/** A value, and the classes and routes that it was made of. */
interface State<Made> {
  readonly classes: Classes
  /** Number of routes. */
  readonly routes: number
  /** Version of the controllers before they were loaded. */
  readonly version: number
  readonly made: Made
}

async function load(controllers: ControllerRegistry, names: Iterable<string>): Promise<Classes> {
  const classes = new Map<string, ControllerConstructor>()
  for (const name of new Set(names)) {
    const found = controllers.find(name)
    const loaded = found instanceof Promise ? await found : found
    if (loaded?.kind === 'class') classes.set(name, loaded.controllerClass)
  }
  return classes
}

/** Returns true if no class was loaded again since. */
function areSame(known: Classes, classes: Classes): boolean {
  if (known.size !== classes.size) return false
  return [...classes].every(([name, controllerClass]) => known.get(name) === controllerClass)
}
