/** What a plugin can do; the conformance suite follows it. */
export interface RemoteStorageCapabilities {
  /** Name of the store for logs and reports, for example `local`. */
  readonly name: string;
  /** Whether what was copied survives the end of this process. */
  readonly durable: boolean;
  /** Whether `pacer` is honoured a slice at a time, so that bytes flow evenly. */
  readonly paced: boolean;
  /** Largest segment in bytes that can be copied. */
  readonly maxSegmentBytes: number;
}

/** What an object store can do; the layout and the conformance suite follow it. */
export interface ObjectStoreCapabilities {
  /** Name of the store for logs and reports. */
  readonly name: string;
  /** Whether objects survive the end of this process. */
  readonly durable: boolean;
  /** Whether `put` with `ifAbsent` is refused atomically when the key exists. */
  readonly conditionalPut: boolean;
  /** Whether `pacer` is honoured a slice at a time. */
  readonly paced: boolean;
  /** Largest object in bytes. */
  readonly maxObjectBytes: number;
  /** Longest key in bytes of UTF-8. */
  readonly maxKeyBytes: number;
  /**
   * Bytes below which a read costs by the request rather than by its bytes, as in a store across a
   * network: readers then fetch whole chunks and keep them. Default 0: small ranges are cheap.
   */
  readonly readUnitBytes?: number | undefined;
}
