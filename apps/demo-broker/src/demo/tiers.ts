import type { Broker } from '@logloft/broker';

/** Segments and bytes in one place. */
export interface TierFigures {
  readonly segments: number;
  readonly bytes: number;
}

/** Where the segments of one partition are. */
export interface PartitionTiers {
  readonly partition: number;
  readonly records: number;
  readonly local: TierFigures;
  readonly both: TierFigures;
  readonly remote: TierFigures;
  /** Whether only the active segment is on the local disk, and all others are in the remote tier. */
  readonly isTiered: boolean;
}

/** Reads where the segments of all partitions of a topic are. */
export function tiersOf(broker: Broker, topic: string, partitions: number): PartitionTiers[] {
  return Array.from({ length: partitions }, (_, partition) =>
    partitionTiers(broker, topic, partition),
  );
}

function partitionTiers(broker: Broker, topic: string, partition: number): PartitionTiers {
  const status = broker.partitionStatus(topic, partition);
  const segments = status?.remote?.segments ?? [];
  const figures = (place: 'local' | 'both' | 'remote'): TierFigures => {
    const there = segments.filter((segment) => segment.place === place);
    return {
      segments: there.length,
      bytes: there.reduce((sum, segment) => sum + segment.sizeInBytes, 0),
    };
  };
  const local = figures('local');
  const both = figures('both');
  return {
    partition,
    records: status?.logEndOffset ?? 0,
    local,
    both,
    remote: figures('remote'),
    isTiered: status?.localSegments === 1 && local.segments <= 1 && both.segments === 0,
  };
}
