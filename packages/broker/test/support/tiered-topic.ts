import { ErrorCode, fetchApi } from '@logloft/protocol';
import { expect, vi } from 'vitest';
import type { Broker, StartBrokerOptions } from '../../src/index.ts';
import { batchOf, fetchRequest, produce, recordsIn } from './requests.ts';
import type { WireClient } from './wire-client.ts';

const VALUE_BYTES = 1000;
/** About 14 batches of {@link fill}. */
export const SEGMENT_BYTES = 16_384;

/** Settings of a broker whose tiers move within tests: everything happens each 20 ms. */
export function quickTiering(config: Readonly<Record<string, string>> = {}): StartBrokerOptions {
  return {
    config: {
      'remote.log.manager.task.interval.ms': '20',
      'remote.log.manager.task.retry.backoff.ms': '20',
      'remote.log.manager.task.retry.backoff.max.ms': '40',
      'log.retention.check.interval.ms': '20',
      'log.segment.delete.delay.ms': '0',
      'remote.fetch.max.wait.ms': '10000',
      'rlmm.config.remote.log.metadata.topic.num.partitions': '2',
      ...config,
    },
  };
}

/** Overrides of a topic whose rolled segments leave the local log as soon as they are copied. */
export const COLD: Readonly<Record<string, string>> = {
  'remote.storage.enable': 'true',
  'segment.bytes': String(SEGMENT_BYTES),
  // Not 0, which the segment that is written would exceed, too, and be rolled.
  'local.retention.bytes': '1',
  'index.interval.bytes': '1024',
};

/** The value of the record at an offset. */
function valueAt(offset: number): string {
  return `${offset} `.padEnd(VALUE_BYTES, String(offset % 10));
}

/** The time of the record at an offset, in ms. */
export function timeAt(offset: number, startMs: number): number {
  return startMs + offset * 10;
}

/** Produces one batch of one record for each offset in `[from, to)`. */
export async function fill(
  client: WireClient,
  topic: string,
  range: { readonly from?: number; readonly to: number; readonly startMs?: number },
): Promise<void> {
  const { from = 0, to, startMs = Date.now() - 10_000 } = range;
  for (let offset = from; offset < to; offset += 1) {
    const batch = batchOf([valueAt(offset)], { timestamps: [timeAt(offset, startMs)] });
    const answer = await produce(client, topic, batch);
    expect(answer).toMatchObject({ errorCode: 0, baseOffset: offset });
  }
}

/**
 * Waits until all segments but the last are in the remote tier alone.
 *
 * @returns the first local offset
 */
export async function untilCold(broker: Broker, topic: string): Promise<number> {
  return await vi.waitFor(
    () => {
      const status = broker.partitionStatus(topic, 0);
      expect(status?.localSegments).toBe(1);
      expect(status?.highestOffsetInRemoteStorage).toBe((status?.localLogStartOffset ?? 0) - 1);
      return status?.localLogStartOffset ?? 0;
    },
    { timeout: 10_000, interval: 10 },
  );
}

/** Reads a partition to its end by raw fetches; all values, which must be those of {@link fill}. */
export async function readBack(client: WireClient, topic: string, from = 0): Promise<number> {
  let next = from;
  for (;;) {
    const response = await client.call(
      fetchApi,
      12,
      fetchRequest(topic, { fetchOffset: next, partitionMaxBytes: 50_000 }),
    );
    const answer = response.responses[0]?.partitions[0];
    if (answer === undefined) throw new Error('the answer lacks the partition');
    // The catalogue of the remote tier is still being read: clients ask again, and so do we.
    if (answer.errorCode === ErrorCode.REPLICA_NOT_AVAILABLE) continue;
    expect(answer.errorCode).toBe(0);
    if (next === answer.highWatermark) return next;
    for (const { offset, value } of recordsIn(answer)) {
      if (offset < next) continue;
      expect(offset).toBe(next);
      expect(value?.toString()).toBe(valueAt(offset));
      next += 1;
    }
  }
}
