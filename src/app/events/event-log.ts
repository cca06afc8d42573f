/**
 * The storage of a channel's events. Ids are integers that grow in the order in which events become visible. They
 * begin with the time in microseconds, so that a database that has lost events does not give their ids, which clients
 * have, to other events.
 */

/** An event to publish. */
export interface NewEvent<Data = unknown> {
  /** Type of the event, for `addEventListener`. Defaults to `message`. */
  readonly event?: string | undefined
  /** Any JSON value. */
  readonly data: Data
}

/** An event of a channel. */
export interface ChannelEvent<Data = unknown> {
  /** An integer. Ids grow. */
  readonly id: string
  readonly event?: string
  readonly data: Data
}

/** An event as a log has it. */
export interface StoredEvent {
  readonly id: number
  readonly event: string | undefined
  /** The data as JSON. */
  readonly json: string
}

export interface EventLog {
  /** Appends an event and returns its id. */
  append(event: string | undefined, json: string): Promise<number>
  /**
   * Returns the id behind which a reader begins: an id whose event is kept; the id of the last event if it is
   * undefined; otherwise an id before the oldest event that is kept.
   */
  positionOf(id: number | undefined): Promise<number>
  /** Returns the first events that are kept behind an id, at most `count`. */
  after(id: number, count: number): Promise<readonly StoredEvent[]>
  /** Calls `wake` when another process may have published an event. Returns a function that ends it. */
  watch(wake: () => void): () => void
}
