import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { decodeMetadataEvent } from '../../src/index.ts';
import { MetadataCache } from '../../src/metadata/metadata-cache.ts';
import { partitionOf } from '../../src/metadata/metadata-event.ts';
import { partitionKey } from '../../src/metadata/partition-events.ts';
import { orders3 } from '../support/segments.ts';
import { type Expiration, WINDOW, type World } from './world.ts';

interface Catalogue {
  readonly cache: MetadataCache;
  /** Events read of each partition of the log. */
  readonly read: Map<number, number>;
}

const catalogues = new WeakMap<World, Catalogue>();

/** The catalogue as the stored events alone tell it. */
export function catalogueOf(world: World): MetadataCache {
  const known = catalogues.get(world) ?? { cache: new MetadataCache(), read: new Map() };
  catalogues.set(world, known);
  for (let at = 0; at < world.eventLog.partitionCount; at += 1) {
    const events = world.eventLog.events(at);
    for (const { value } of events.slice(known.read.get(at) ?? 0)) {
      const event = decodeMetadataEvent(value);
      must(partitionKey(partitionOf(event)) === partitionKey(orders3), 'events are of orders-3');
      const verdict = known.cache.apply(event);
      must(verdict === 'applied', `an event has the verdict ${verdict}`);
    }
    known.read.set(at, events.length);
  }
  return known.cache;
}

/** What has to hold after every step, whatever happened. */
export function checkInvariants(world: World): void {
  const catalogue = catalogueOf(world);
  const segments = catalogue.list();
  offsetsAreInOrder(world);
  noHoleBetweenTheTiers(world, segments);
  everyObjectHasMetadata(world, catalogue);
  everyFinishedSegmentHasItsObjects(world, segments);
  copiesAreWithinTheQuota(world);
  retentionTakesNoMoreThanItMay(world);
}

function offsetsAreInOrder({ log }: World): void {
  must(log.logStartOffset <= log.localLogStartOffset, 'log start <= local log start');
  must(log.localLogStartOffset <= log.logEndOffset, 'local log start <= log end');
}

/** Every offset that is visible and not local is in a finished segment: nothing local went too early. */
function noHoleBetweenTheTiers(
  { log }: World,
  segments: readonly RemoteLogSegmentMetadata[],
): void {
  const finished = segments
    .filter((segment) => segment.state === 'COPY_SEGMENT_FINISHED')
    .sort((a, b) => a.startOffset - b.startOffset);
  let covered = log.logStartOffset;
  for (const segment of finished) {
    if (segment.startOffset <= covered) covered = Math.max(covered, segment.endOffset + 1);
  }
  must(
    covered >= log.localLogStartOffset,
    `offsets ${covered} to ${log.localLogStartOffset} are in no tier`,
  );
}

function everyObjectHasMetadata({ store }: World, catalogue: MetadataCache): void {
  for (const [id, { metadata }] of store.segments) {
    must(
      catalogue.get(id) !== undefined,
      `objects from offset ${metadata.startOffset} are orphans`,
    );
  }
}

function everyFinishedSegmentHasItsObjects(
  { store }: World,
  segments: readonly RemoteLogSegmentMetadata[],
): void {
  for (const segment of segments) {
    if (segment.state !== 'COPY_SEGMENT_FINISHED') continue;
    const stored = store.segments.get(segment.remoteLogSegmentId.id);
    must(stored?.whole === true, `the finished segment from ${segment.startOffset} has no objects`);
  }
}

/** In every span of the window: limit x (samples + 1) x seconds, and one segment. */
function copiesAreWithinTheQuota({ copies, highestLimit }: World): void {
  if (!Number.isFinite(highestLimit)) return;
  const spanMs = WINDOW.samples * WINDOW.seconds * 1000;
  const bound = highestLimit * (WINDOW.samples + 1) * WINDOW.seconds;
  for (const first of copies) {
    const inSpan = copies.filter(
      (copy) => copy.atMs >= first.atMs && copy.atMs < first.atMs + spanMs,
    );
    const bytes = inSpan.reduce((sum, copy) => sum + copy.bytes, 0);
    const largest = Math.max(...inSpan.map((copy) => copy.bytes));
    must(bytes <= bound + largest, `${bytes} bytes in a window of at most ${bound} + ${largest}`);
  }
}

/** Whatever went was too old, or `retention.bytes` were left behind it. */
function retentionTakesNoMoreThanItMay({ log, expirations }: World): void {
  for (const expiration of expirations.splice(0)) {
    const { from, to, retentionBytes } = expiration;
    const there = log.history.filter(({ lastOffset }) => lastOffset < expiration.logEndOffset);
    const bytesFrom = (offset: number): number =>
      there
        .filter(({ baseOffset }) => baseOffset >= offset)
        .reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (const { baseOffset, lastOffset, timestampMs } of there) {
      if (lastOffset < from || baseOffset >= to || isTooOld(timestampMs, expiration)) continue;
      const left = bytesFrom(lastOffset + 1);
      must(
        retentionBytes >= 0 && left >= retentionBytes,
        `the log start went from ${from} to ${to} past offset ${baseOffset}, with ${left} of ${retentionBytes} bytes behind it`,
      );
    }
  }
}

function isTooOld(timestampMs: number, { atMs, retentionMs }: Expiration): boolean {
  return retentionMs >= 0 && atMs - timestampMs > retentionMs;
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Invariant broken: ${what}`);
}
