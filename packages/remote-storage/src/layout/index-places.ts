import { INDEX_TYPES, type IndexType } from '../log-segment-data.ts';
import type { IndexPlace, SegmentIndexes } from './manifest.ts';

/** Bytes of the object that holds all indexes, as far as they reach; places may come in any order. */
export function indexesBytes(indexes: SegmentIndexes): number {
  return INDEX_TYPES.reduce((most, type) => {
    const place = placeOf(indexes, type);
    return place === null ? most : Math.max(most, place.position + place.size);
  }, 0);
}

/** Where an index is; `null` for a transaction index that there is none of. */
export function placeOf(indexes: SegmentIndexes, type: IndexType): IndexPlace | null {
  switch (type) {
    case 'OFFSET':
      return indexes.offset;
    case 'TIMESTAMP':
      return indexes.timestamp;
    case 'PRODUCER_SNAPSHOT':
      return indexes.producerSnapshot;
    case 'LEADER_EPOCH':
      return indexes.leaderEpoch;
    case 'TRANSACTION':
      return indexes.transaction;
  }
}
