/** A class of controllers. */
export type ControllerClass = abstract new () => object
