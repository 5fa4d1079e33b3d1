import { stat } from 'node:fs/promises';
import { BatchCursor, type DecodedRecord, readRecords } from '@logloft/records';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { type FoundFile, filesBelow } from '../harness/tier-files.ts';
import { viewCluster } from './cluster-view.ts';
import { fetchSome, partitionBounds } from './partition-fetcher.ts';
import { readSegmentEvent, type SegmentEvent, type SegmentExtent } from './segment-event.ts';
import type { TopicPartition } from './topic-partition.ts';

const METADATA_TOPIC = '__remote_log_metadata';
/** The objects of a segment in the default layout. */
const SUFFIXES = ['log', 'indexes', 'rsm-manifest'] as const;
const OBJECT =
  /(?<directory>[^/]+)\/(?<partition>\d+)\/(?<offset>\d{20})-(?<id>[\w-]{22})\.(?<suffix>log|indexes|rsm-manifest)$/;

/** A segment by its events: where it lies, and its last state. */
export interface SegmentHistory extends SegmentExtent {
  readonly of: TopicPartition;
  readonly topicId: string;
  state: SegmentEvent['state'];
}

/** Segments by their ids. */
export type Catalogue = ReadonlyMap<string, SegmentHistory>;

/** Reads the metadata topic through ordinary fetches, as any consumer could. */
export async function readCatalogue(bootstrap: string): Promise<Catalogue> {
  const connection = await KafkaConnection.open(bootstrap);
  try {
    const { topics } = await viewCluster(connection);
    const partitions = topics.get(METADATA_TOPIC)?.leaderEpochs.length ?? 0;
    if (partitions === 0) throw new Error(`there is no topic ${METADATA_TOPIC}`);
    const catalogue = new Map<string, SegmentHistory>();
    for (let partition = 0; partition < partitions; partition += 1) {
      await readEvents(connection, { topic: METADATA_TOPIC, partition }, (event) => {
        apply(catalogue, event);
      });
    }
    return catalogue;
  } finally {
    connection.close();
  }
}

async function readEvents(
  connection: KafkaConnection,
  of: TopicPartition,
  take: (event: SegmentEvent) => void,
): Promise<void> {
  const { logStartOffset, end } = await partitionBounds(connection, of);
  let next = logStartOffset;
  while (next < end) {
    const fetched = await fetchSome(connection, of, next);
    if (fetched === 'out-of-range') throw new Error(`${METADATA_TOPIC}: ${next} is out of range`);
    for (const { offset, value } of recordsIn(fetched.records)) {
      const event = offset < next || value === null ? undefined : readSegmentEvent(value);
      if (event !== undefined) take(event);
      next = Math.max(next, offset + 1);
    }
  }
}

function* recordsIn(bytes: Buffer): Generator<DecodedRecord, void, undefined> {
  const cursor = new BatchCursor(bytes);
  while (cursor.next()) yield* readRecords(bytes, cursor.position);
}

function apply(catalogue: Map<string, SegmentHistory>, event: SegmentEvent): void {
  const { segmentId, topic, topicId, partition, state, added } = event;
  const known = catalogue.get(segmentId);
  if (known !== undefined) known.state = state;
  else if (added === undefined)
    throw new Error(`segment ${segmentId} is ${state}, but never began`);
  else catalogue.set(segmentId, { ...added, of: { topic, partition }, topicId, state });
}

/** What the store holds, held against the catalogue. */
export interface StoreAudit {
  readonly objects: number;
  /** Segments by their state. */
  readonly states: ReadonlyMap<string, number>;
  /** Objects that no event tells of. */
  readonly unknownObjects: readonly string[];
  /** Objects of segments that are told to be deleted. */
  readonly undeletedObjects: readonly string[];
  /** Finished segments that lack an object, or whose object has another size. */
  readonly incompleteSegments: readonly string[];
  /** Files that are no objects of a segment. */
  readonly foreignFiles: readonly string[];
}

/** Holds the files of a local store against a catalogue. Nothing may be copied or deleted meanwhile. */
export async function auditStore(directory: string, catalogue: Catalogue): Promise<StoreAudit> {
  const objects = new Map<string, number>();
  const found = { unknownObjects: [] as string[], undeletedObjects: [] as string[] };
  const foreignFiles: string[] = [];
  for (const { path, bytes } of await allFiles(directory)) {
    const groups = OBJECT.exec(path)?.groups;
    if (groups === undefined) {
      foreignFiles.push(path);
      continue;
    }
    const { id = '', suffix = '' } = groups;
    const segment = catalogue.get(id);
    objects.set(`${id}.${suffix}`, bytes);
    if (segment === undefined) found.unknownObjects.push(path);
    else if (segment.state === 'DELETE_SEGMENT_FINISHED') found.undeletedObjects.push(path);
  }
  return {
    ...found,
    foreignFiles,
    objects: objects.size,
    states: statesOf(catalogue),
    incompleteSegments: incompleteSegments(catalogue, objects),
  };
}

/** All but the directories. */
async function allFiles(directory: string): Promise<readonly FoundFile[]> {
  const found = await filesBelow(directory, '');
  const isFile = await Promise.all(found.map(async ({ path }) => (await stat(path)).isFile()));
  return found.filter((_, index) => isFile[index]);
}

function statesOf(catalogue: Catalogue): ReadonlyMap<string, number> {
  const states = new Map<string, number>();
  for (const { state } of catalogue.values()) states.set(state, (states.get(state) ?? 0) + 1);
  return states;
}

function incompleteSegments(
  catalogue: Catalogue,
  objects: ReadonlyMap<string, number>,
): readonly string[] {
  const incomplete: string[] = [];
  for (const [id, { of, startOffset, sizeInBytes, state }] of catalogue) {
    if (state !== 'COPY_SEGMENT_FINISHED') continue;
    const missing = SUFFIXES.filter((suffix) => !objects.has(`${id}.${suffix}`));
    const logBytes = objects.get(`${id}.log`);
    if (missing.length > 0 || logBytes !== sizeInBytes) {
      const what = `lacks [${missing.join()}], .log has ${logBytes} of ${sizeInBytes} bytes`;
      incomplete.push(`${of.topic}-${of.partition} at ${startOffset}, segment ${id}, ${what}`);
    }
  }
  return incomplete;
}
