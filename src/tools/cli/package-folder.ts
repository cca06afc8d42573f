import { FRAMEWORK_FOLDER } from '../../base/framework-folder.ts'

/** The folder of this package, which has `docs/`, `package.json` and the templates. */
export const PACKAGE_FOLDER = new URL('../', FRAMEWORK_FOLDER)
