import { limitFailures } from 'propylon/middleware'

/**
 * After ten wrong passwords or tokens within a minute, an address can send no other ones until the minute is over. Failures are
 * not counted for a name alone, or anybody could lock its owner out. Each process counts for itself: give the limit a `store` if
 * there are several.
 */
export const failures = limitFailures({ max: 10, window: 60, name: 'login' })
