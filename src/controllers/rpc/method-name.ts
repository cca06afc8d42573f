/**
 * Maximum length of the name of a method, in UTF-16 code units. A longer name is that of an unknown method and is not
 * looked up: translating it takes time in proportion to its length.
 */
export const MAX_METHOD_NAME = 255
