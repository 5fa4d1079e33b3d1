import { describe, expect, it } from 'vitest';
import { ModelLog } from '../support/model-log.ts';
import { orders3 } from '../support/segments.ts';
import { tieredBroker } from '../support/tiered-broker.ts';

describe('smoke', () => {
  it('copies rolled segments', async () => {
    const log = new ModelLog();
    log.appendSegment();
    log.appendSegment();
    log.append();
    const { lead, manager, store, clock } = tieredBroker({ log });
    await lead();
    expect(store.calls).toEqual(['copy 0', 'copy 3']);
    expect(manager.status(orders3)).toMatchObject({ ready: true, highestOffsetInRemoteStorage: 5 });
    log.applyLocalRetention();
    const fetched = await manager.fetch(orders3, { offset: 1, maxBytes: 10_000 });
    expect(fetched.throttled).toBe(false);
    await manager.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
