import type { TestApp, TestAppOptions } from 'propylon/testing'

/** A small task in a created project. Its solution is in `solutions/`, and the documentation shows how to write it. */
export interface Task {
  /** Options of `propylon create` for the project. */
  readonly options?: readonly string[]
  /** Environment of the application when it is checked. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Sends requests to the application.
   *
   * @throws AssertionError - the task is not solved.
   */
  check(site: Site): Promise<void>
}

/** The project of a task. */
export interface Site {
  readonly folder: string
  /** Returns a new visitor, without cookies. */
  visitor(options?: TestAppOptions): TestApp
}

/** Header fields of a program. */
export const PROGRAM = { headers: { accept: 'application/json' } } as const

/** Header fields of a browser. */
export const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } } as const
