import type { RemoteLogSegmentMetadata, RemoteLogSegmentState } from '@logloft/remote-storage';
import { EpochSegments } from './epoch-segments.ts';
import type {
  RemoteLogMetadataEvent,
  RemoteLogSegmentMetadataUpdate,
  RemotePartitionDeleteMetadata,
  RemotePartitionDeleteState,
} from './metadata-event.ts';

/** What became of an event. All but `applied` leave the catalogue as it was. */
export type EventVerdict = 'applied' | 'duplicate' | 'unknown-segment' | 'illegal-transition';

const NEXT_STATES: Readonly<Record<RemoteLogSegmentState, readonly RemoteLogSegmentState[]>> = {
  COPY_SEGMENT_STARTED: ['COPY_SEGMENT_FINISHED', 'DELETE_SEGMENT_STARTED'],
  COPY_SEGMENT_FINISHED: ['COPY_SEGMENT_FINISHED', 'DELETE_SEGMENT_STARTED'],
  DELETE_SEGMENT_STARTED: ['DELETE_SEGMENT_STARTED', 'DELETE_SEGMENT_FINISHED'],
  DELETE_SEGMENT_FINISHED: [],
};

const NEXT_PARTITION_STATES: Readonly<
  Record<RemotePartitionDeleteState | 'none', readonly RemotePartitionDeleteState[]>
> = {
  none: ['DELETE_PARTITION_MARKED'],
  DELETE_PARTITION_MARKED: ['DELETE_PARTITION_MARKED', 'DELETE_PARTITION_STARTED'],
  DELETE_PARTITION_STARTED: ['DELETE_PARTITION_STARTED', 'DELETE_PARTITION_FINISHED'],
  // The same topic may be tiered again, and leave the remote tier a second time.
  DELETE_PARTITION_FINISHED: ['DELETE_PARTITION_FINISHED', 'DELETE_PARTITION_MARKED'],
};

/**
 * The catalogue of one partition, built from its events in their order. A pure state machine: an event
 * that is not legal changes nothing, so that a deposed leader's late events do no harm.
 */
export class MetadataCache {
  /** Never holds a segment in DELETE_SEGMENT_FINISHED. */
  readonly #segments = new Map<string, RemoteLogSegmentMetadata>();
  readonly #epochs = new Map<number, EpochSegments>();
  #deletion: RemotePartitionDeleteMetadata | undefined;

  /** Number of segments that are known and not deleted. */
  get size(): number {
    return this.#segments.size;
  }

  /** The latest step in the deletion of the whole partition, if any. */
  get deletion(): RemotePartitionDeleteMetadata | undefined {
    return this.#deletion;
  }

  apply(event: RemoteLogMetadataEvent): EventVerdict {
    switch (event.type) {
      case 'segment':
        return this.#add(event.metadata);
      case 'segment-update':
        return this.#update(event.update);
      case 'partition-delete':
        return this.#deletePartition(event.deletion);
    }
  }

  /** A segment by its id, in whatever state. */
  get(id: string): RemoteLogSegmentMetadata | undefined {
    return this.#segments.get(id);
  }

  /** The finished segment that holds `offset` as written in `epoch`. */
  find(epoch: number, offset: number): RemoteLogSegmentMetadata | undefined {
    const id = this.#epochs.get(epoch)?.find(offset);
    return id === undefined ? undefined : this.#segments.get(id);
  }

  /** The next finished segment of `epoch` at or after `offset` that may have aborted transactions. */
  nextWithTxnIndex(epoch: number, offset: number): RemoteLogSegmentMetadata | undefined {
    const id = this.#epochs
      .get(epoch)
      ?.findFrom(offset, (candidate) => this.#segments.get(candidate)?.txnIdxEmpty === false);
    return id === undefined ? undefined : this.#segments.get(id);
  }

  /** Highest offset ever finished in `epoch` (inclusive), or `undefined`. */
  highestOffset(epoch: number): number | undefined {
    const highest = this.#epochs.get(epoch)?.highest ?? -1;
    return highest < 0 ? undefined : highest;
  }

  /** All segments that are not deleted, in any order; of one epoch: ascending by start offset. */
  list(epoch?: number): RemoteLogSegmentMetadata[] {
    if (epoch === undefined) return [...this.#segments.values()];
    const listed: RemoteLogSegmentMetadata[] = [];
    for (const id of this.#epochs.get(epoch)?.ids() ?? []) {
      const metadata = this.#segments.get(id);
      if (metadata !== undefined) listed.push(metadata);
    }
    return listed.sort((a, b) => a.startOffset - b.startOffset);
  }

  #add(metadata: RemoteLogSegmentMetadata): EventVerdict {
    const { id } = metadata.remoteLogSegmentId;
    if (metadata.state !== 'COPY_SEGMENT_STARTED') return 'illegal-transition';
    if (this.#segments.has(id)) return 'duplicate';
    this.#segments.set(id, metadata);
    for (const { epoch } of metadata.segmentLeaderEpochs) this.#epochOf(epoch).started(id);
    return 'applied';
  }

  #update(update: RemoteLogSegmentMetadataUpdate): EventVerdict {
    const { id } = update.remoteLogSegmentId;
    const known = this.#segments.get(id);
    if (known === undefined) return 'unknown-segment';
    if (!NEXT_STATES[known.state].includes(update.state)) return 'illegal-transition';
    const { brokerId, eventTimestampMs, customMetadata, state } = update;
    const updated = { ...known, brokerId, eventTimestampMs, customMetadata, state };
    if (state === 'DELETE_SEGMENT_FINISHED') this.#segments.delete(id);
    else this.#segments.set(id, updated);
    if (state !== known.state) this.#move(updated);
    return 'applied';
  }

  #move(segment: RemoteLogSegmentMetadata): void {
    const { id } = segment.remoteLogSegmentId;
    const epochs = segment.segmentLeaderEpochs;
    for (const [at, { epoch, startOffset }] of epochs.entries()) {
      const known = this.#epochOf(epoch);
      if (segment.state === 'COPY_SEGMENT_FINISHED') {
        const end = (epochs[at + 1]?.startOffset ?? segment.endOffset + 1) - 1;
        // An epoch without a record in the segment has nothing to be found under.
        if (end >= startOffset) known.finished(id, startOffset, end);
      } else if (segment.state === 'DELETE_SEGMENT_STARTED') {
        known.deletionStarted(id);
      } else {
        known.deleted(id);
        if (known.disposable) this.#epochs.delete(epoch);
      }
    }
  }

  #deletePartition(deletion: RemotePartitionDeleteMetadata): EventVerdict {
    const next = NEXT_PARTITION_STATES[this.#deletion?.state ?? 'none'];
    if (!next.includes(deletion.state)) return 'illegal-transition';
    this.#deletion = deletion;
    return 'applied';
  }

  #epochOf(epoch: number): EpochSegments {
    let known = this.#epochs.get(epoch);
    if (known === undefined) {
      known = new EpochSegments();
      this.#epochs.set(epoch, known);
    }
    return known;
  }
}
