/**
 * URL of the folder of the framework's modules, with a slash at the end: `src/` of a checkout, `dist/` of a package.
 * The folder of a bundle's folder, if the framework was bundled. Undefined where modules have no URL.
 */
export const FRAMEWORK_FOLDER: string | undefined = URL.canParse('../', import.meta.url)
  ? new URL('../', import.meta.url).href
  : undefined
