import { optionalPackage as load, type OptionalPackages } from '../../base/optional-package.ts'

/**
 * Imports an optional package of `propylon/testing` on first use.
 *
 * @throws Error - the package is not installed.
 */
export function optionalPackage<Name extends keyof OptionalPackages>(name: Name): OptionalPackages[Name] {
  return load(name, 'propylon/testing', 'npm install --save-dev')
}
