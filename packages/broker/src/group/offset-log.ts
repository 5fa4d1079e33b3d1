/** A record of `__consumer_offsets`: without a value it takes the key's earlier ones back. */
export interface OffsetLogRecord {
  readonly key: Buffer;
  readonly value: Buffer | null;
}

/** Where the coordinator's records are kept. */
export interface OffsetLog {
  /**
   * Appends all records, which belong to one group and so to one partition, in the order of the
   * calls. Resolves once they are as durable as the log promises. The buffers are the log's to keep.
   *
   * @param groupId the group of all `records`; `offsetsPartitionFor` tells its partition
   */
  append(records: readonly OffsetLogRecord[], groupId: string): Promise<void>;
}
