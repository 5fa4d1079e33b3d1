import { describe, expect, it } from 'vitest';
import { ModelLog } from '../support/model-log.ts';
import { tieredBroker } from '../support/tiered-broker.ts';

/** A log that counts how often its segments were asked for. */
class CountingLog extends ModelLog {
  listed = 0;

  override segments(): ReturnType<ModelLog['segments']> {
    this.listed += 1;
    return super.segments();
  }
}

function backlog(segments: number): CountingLog {
  const log = new CountingLog();
  for (let i = 0; i < segments; i += 1) log.appendSegment();
  return log;
}

describe('a run over a backlog', () => {
  it('looks at the whole log as often for 300 segments as for 3', async () => {
    const listed: number[] = [];
    for (const count of [3, 300]) {
      const log = backlog(count);
      const { lead, store, manager, metric } = tieredBroker({ log });
      await lead();
      expect(store.calls).toHaveLength(count);
      expect(metric('RemoteCopyLagSegments')).toBe(0);
      listed.push(log.listed);
      await manager.close();
    }
    expect(listed[1]).toBe(listed[0]);
  });

  it('publishes a lag that falls with each copy, and grows with what is rolled meanwhile', async () => {
    const log = backlog(5);
    const { lead, store, manager, metric, clock } = tieredBroker({ log });
    store.faultOf = () => ({ kind: 'slow', ms: 20_000 });
    await lead();
    const lags: (number | undefined)[] = [];
    for (let i = 0; i < 5; i += 1) {
      await clock.advanceAsync(20_000);
      lags.push(metric('RemoteCopyLagSegments'));
      if (i === 0) for (let more = 0; more < 10; more += 1) log.appendSegment();
    }
    // It is looked at anew within the interval of the tasks, which is 30 s.
    expect(lags.slice(0, 1)).toEqual([4]);
    expect(lags.slice(2)).toEqual([12, 11, 10]);
    await manager.close();
  });

  it('copies what is rolled meanwhile in the same run', async () => {
    const log = backlog(1);
    const { lead, store, manager } = tieredBroker({ log });
    store.onCopied = () => {
      if (log.segments().length < 4) log.appendSegment();
    };
    await lead();
    expect(store.calls).toEqual(['copy 0', 'copy 3', 'copy 6']);
    await manager.close();
  });
});

describe('between two segments of a run', () => {
  it('what the log start has passed is left out', async () => {
    const log = backlog(5);
    const { lead, store, manager } = tieredBroker({ log });
    store.onCopied = ({ startOffset }) => {
      if (startOffset === 3) void log.advanceLogStartOffset(12);
    };
    await lead();
    const copies = store.calls.filter((call) => call.startsWith('copy'));
    expect(copies).toEqual(['copy 0', 'copy 3', 'copy 12']);
    await manager.close();
  });

  it.each([
    ['remote.log.copy.disable', { remoteLogCopyDisable: true }],
    ['the end of remote.storage.enable', { remoteStorageEnable: false }],
    ['a copy lag', { remoteCopyLagMs: 1e15, remoteCopyLagBytes: 1e9 }],
  ])('%s ends it', async (_name, change) => {
    const log = backlog(5);
    const { lead, store, manager } = tieredBroker({ log });
    store.onCopied = ({ startOffset }) => {
      if (startOffset === 3) log.config = { ...log.config, ...change };
    };
    await lead();
    expect(store.calls).toEqual(['copy 0', 'copy 3']);
    await manager.close();
  });

  it('what is no longer stable waits, and all behind it', async () => {
    const log = backlog(5);
    const { lead, store, manager } = tieredBroker({ log });
    store.onCopied = ({ startOffset }) => {
      if (startOffset === 3) log.openTransactionAt = 8;
    };
    await lead();
    expect(store.calls).toEqual(['copy 0', 'copy 3']);
    await manager.close();
  });
});
