/** What was found when a log was opened. */
export interface RecoveryReport {
  /** `topic-partition`. */
  readonly partition: string;
  /** Whether batches were read and checked: the last stop was not a clean one. */
  readonly recovered: boolean;
  readonly segmentsScanned: number;
  readonly bytesScanned: number;
  /** Bytes cut off, because no sound batch follows. */
  readonly bytesCut: number;
  /** Why they were cut; undefined when nothing was. */
  readonly cutReason: string | undefined;
  /** Segments removed, because they come after the cut. */
  readonly segmentsRemoved: number;
  /** Segments below the recovery point whose missing or damaged index was built anew. */
  readonly indexesRebuilt: number;
}

/** The same while it is being found out. */
export class RecoveryNotes {
  segmentsScanned = 0;
  bytesScanned = 0;
  bytesCut = 0;
  cutReason: string | undefined;
  segmentsRemoved = 0;
  indexesRebuilt = 0;

  report(partition: string, recovered: boolean): RecoveryReport {
    return {
      partition,
      recovered,
      segmentsScanned: this.segmentsScanned,
      bytesScanned: this.bytesScanned,
      bytesCut: this.bytesCut,
      cutReason: this.cutReason,
      segmentsRemoved: this.segmentsRemoved,
      indexesRebuilt: this.indexesRebuilt,
    };
  }
}
