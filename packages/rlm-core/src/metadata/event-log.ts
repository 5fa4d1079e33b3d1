/** An event as the log holds it. */
export interface StoredEvent {
  /** Position in its partition of the metadata log, ascending without being dense. */
  readonly offset: number;
  readonly value: Uint8Array;
}

/** A running delivery of events. */
export interface EventSubscription {
  /**
   * Resolves when everything that was durable at the time of the call to `subscribe` was delivered.
   * Rejects when it cannot be read; the subscription is then dead.
   */
  readonly caughtUp: Promise<void>;
  /** Ends the delivery. No event is delivered after it returned. */
  close(): void;
}

/**
 * Where the events of remote log metadata are kept: an ordered, durable log in partitions, for example
 * the internal topic `__remote_log_metadata` of a broker, or a topic of another cluster.
 */
export interface MetadataEventLog {
  /** Partitions of the log. Must not change, since it decides where the events of a user partition are. */
  readonly partitionCount: number;

  /**
   * Appends an event.
   *
   * @returns the offset of the event, when it is durable
   */
  append(
    partition: number,
    value: Uint8Array,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<number>;

  /**
   * Delivers all events of a partition from its beginning, in order, and then each new one once it is
   * durable. The value given to `onEvent` is valid during the call. Long replays yield to the event loop.
   */
  subscribe(partition: number, onEvent: (event: StoredEvent) => void): EventSubscription;
}
