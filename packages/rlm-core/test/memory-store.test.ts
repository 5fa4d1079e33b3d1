import { ManualClock, seededRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { openRemoteStorage } from '@logloft/remote-storage';
import { createObjectStore } from '@logloft/remote-storage-memory';
import { describe, expect, it } from 'vitest';
import { InMemoryEventLog, RemoteLogManager } from '../src/index.ts';
import { ModelLog } from './support/model-log.ts';
import { RecordingLogger } from './support/recording-logger.ts';
import { orders3 } from './support/segments.ts';

describe('with the default layout on a memory store', () => {
  it('copies, reads back, finds by time and expires', async () => {
    const clock = new ManualClock();
    const context = {
      brokerId: 1,
      clock,
      random: seededRandom(1),
      logger: new RecordingLogger(),
      metrics: new MetricsRegistry({ clock }),
    };
    const store = await openRemoteStorage({ createObjectStore }, {}, context);
    const log = new ModelLog();
    for (let i = 0; i < 4; i += 1) log.appendSegment(5, { records: 2, timestampMs: 1000 + i });
    log.append({ timestampMs: 2000 });
    const eventLog = new InMemoryEventLog();
    const manager = new RemoteLogManager({ ...context, store, eventLog });
    await manager.onLeadershipChange({ leaders: [log] });
    await clock.advanceAsync(1000);
    expect(log.applyLocalRetention()).toEqual([0, 10, 20, 30]);

    let read = Buffer.alloc(0);
    for (let offset = 0; offset < 40; offset += 10) {
      const result = await manager.fetch(orders3, { offset, maxBytes: 1e6, readCommitted: true });
      if (result.throttled) throw new Error('throttled');
      read = Buffer.concat([read, result.records]);
    }
    expect(read.equals(Buffer.concat(log.history.slice(0, 20).map((one) => one.bytes)))).toBe(true);
    expect(await manager.offsetForTimestamp(orders3, 1002)).toMatchObject({ offset: 20 });

    log.config = { ...log.config, retentionBytes: 0 };
    await clock.advanceAsync(60_000);
    expect(log.logStartOffset).toBe(40);
    expect(manager.metadata.listRemoteLogSegments(orders3)).toEqual([]);
    await manager.close();
    await store[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
