import { expect, it } from 'vitest';
import { ModelLog } from '../support/model-log.ts';
import { orders3, type SegmentFacts, segment } from '../support/segments.ts';
import { tieredBroker } from '../support/tiered-broker.ts';

const SEGMENTS = 5000;

/** A log that tells when expiration begins a plan, which alone asks for the high watermark. */
class WatchedLog extends ModelLog {
  onPlan: () => void = () => undefined;

  override get highWatermark(): number {
    this.onPlan();
    return super.highWatermark;
  }
}

/** A broker whose catalogue has so many segments of one record that expiration plans in slices. */
async function brokerWithManySegments() {
  const log = new WatchedLog({ retentionBytes: 0 });
  for (let at = 0; at < SEGMENTS; at += 1) log.append({ bytes: 1 });
  log.roll();
  const broker = tieredBroker({ log });
  const { manager, clock } = broker;
  manager.start();
  await clock.advanceAsync(0);
  const facts: SegmentFacts = { size: 10, eventTimestampMs: clock.now() };
  for (let at = 0; at < SEGMENTS; at += 1) {
    const metadata = segment(String(at).padStart(16, '0'), at, at, facts);
    await manager.metadata.addRemoteLogSegmentMetadata(metadata);
    const { remoteLogSegmentId, brokerId, eventTimestampMs, customMetadata } = metadata;
    await manager.metadata.updateRemoteLogSegmentMetadata({
      remoteLogSegmentId,
      brokerId,
      eventTimestampMs,
      customMetadata,
      state: 'COPY_SEGMENT_FINISHED',
    });
  }
  return { ...broker, log };
}

it('a limit that is raised while a long plan is made takes effect, and nothing is lost', async () => {
  const { manager, log, clock, store } = await brokerWithManySegments();
  let plans = 0;
  log.onPlan = () => {
    plans += 1;
    if (plans > 1) return;
    clock.setTimer(0, () => {
      log.config = { ...log.config, retentionBytes: -1 };
    });
  };
  await manager.onLeadershipChange({ leaders: [log] });
  await clock.advanceAsync(1000);
  expect(plans).toBe(2);
  expect(log.logStartOffset).toBe(0);
  expect(store.calls.filter((call) => call.startsWith('delete'))).toEqual([]);
  expect(manager.metadata.listRemoteLogSegments(orders3)).toHaveLength(SEGMENTS);
  log.config = { ...log.config, retentionBytes: 0 };
  await clock.advanceAsync(30_000);
  expect(log.logStartOffset).toBe(SEGMENTS);
  await manager.close();
  expect(clock.pendingTimers).toBe(0);
});
