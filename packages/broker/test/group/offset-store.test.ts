import { describe, expect, it } from 'vitest';
import { encodeGroupKey, encodeOffsetKey } from '../../src/group/offset-records.ts';
import { OffsetStore } from '../../src/group/offset-store.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

const SILENT = { info: () => undefined, warn: () => undefined };
const METADATA = {
  protocolType: 'consumer',
  generationId: 3,
  protocolName: null,
  leaderId: null,
  stateSinceMs: 5,
  members: [],
};

function offset(value: number): Parameters<OffsetStore['write']>[1] {
  return {
    offsets: [
      {
        topic: 'topic',
        partition: 0,
        value: {
          offset: value,
          leaderEpoch: -1,
          metadata: '',
          commitTimestampMs: 1,
          expireTimestampMs: -1,
        },
      },
    ],
  };
}

const NO_OFFSET = { offsets: [{ topic: 'topic', partition: 0, value: undefined }] };

function current(store: OffsetStore): number | undefined {
  return store.get('group', 'topic', 0)?.offset;
}

describe('the offset store', () => {
  it('follows the order of the calls, also when the log answers late', async () => {
    const log = new MemoryOffsetLog();
    log.isHeld = true;
    const store = new OffsetStore({ logger: SILENT, log });
    const writes = [store.write('group', offset(1)), store.write('group', offset(2))];
    expect(current(store)).toBe(2);
    log.release();
    await Promise.all(writes);
    expect(current(store)).toBe(2);
    expect(store.offsetCount).toBe(1);
  });

  it('takes back exactly what the log refused', async () => {
    const log = new MemoryOffsetLog();
    const store = new OffsetStore({ logger: SILENT, log });
    await store.write('group', offset(1));
    log.isHeld = true;
    const lasting = store.write('group', offset(2));
    const refused = store.write('group', NO_OFFSET);
    expect(current(store)).toBeUndefined();
    expect(store.offsetCount).toBe(0);
    log.release(1);
    await lasting;
    log.refuse(new Error('disk full'));
    await expect(refused).rejects.toThrow('disk full');
    expect(current(store)).toBe(2);
    expect(store.offsetCount).toBe(1);
  });

  it('keeps nothing of a group of which everything was deleted', async () => {
    const store = new OffsetStore({ logger: SILENT });
    await store.write('group', { ...offset(1), metadata: METADATA });
    expect([...store.groupIds()]).toEqual(['group']);
    await store.write('group', { ...NO_OFFSET, metadata: null });
    expect([...store.groupIds()]).toEqual([]);
    expect(store.offsetCount).toBe(0);
  });

  it('keeps nothing of a group whose only write was refused', async () => {
    const log = new MemoryOffsetLog();
    log.failure = new Error('disk full');
    const store = new OffsetStore({ logger: SILENT, log });
    await expect(store.write('group', offset(1))).rejects.toThrow('disk full');
    expect([...store.groupIds()]).toEqual([]);
  });

  it('appends nothing when nothing changes', async () => {
    const log = new MemoryOffsetLog();
    const store = new OffsetStore({ logger: SILENT, log });
    await store.write('group', { offsets: [] });
    expect(log.records).toEqual([]);
    expect([...store.groupIds()]).toEqual([]);
  });

  it('writes a deletion as a record without a value', async () => {
    const log = new MemoryOffsetLog();
    const store = new OffsetStore({ logger: SILENT, log });
    await store.write('group', { ...NO_OFFSET, metadata: null });
    expect(log.records).toEqual([
      { key: encodeOffsetKey('group', 'topic', 0), value: null },
      { key: encodeGroupKey('group'), value: null },
    ]);
  });

  it('refuses names that records cannot hold before it changes anything', async () => {
    const log = new MemoryOffsetLog();
    const store = new OffsetStore({ logger: SILENT, log });
    await expect(store.write('x'.repeat(40_000), offset(1))).rejects.toThrow(RangeError);
    expect([...store.groupIds()]).toEqual([]);
    expect(log.records).toEqual([]);
  });

  it('loads what it wrote, and from a snapshot as well as from the whole log', async () => {
    const log = new MemoryOffsetLog();
    const store = new OffsetStore({ logger: SILENT, log });
    for (let i = 0; i < 20; i += 1) await store.write('group', offset(i));
    await store.write('gone', { ...offset(1), metadata: METADATA });
    await store.write('gone', { ...NO_OFFSET, metadata: null });
    await store.write('kept', { metadata: METADATA });
    const snapshot = [...store.snapshot()];
    expect(snapshot).toHaveLength(2);
    for (const records of [log.records, snapshot]) {
      const loaded = new OffsetStore({ logger: SILENT });
      expect((await loaded.load(records)).skipped).toBe(0);
      expect([...loaded.snapshot()]).toEqual(snapshot);
      expect(current(loaded)).toBe(19);
      expect(loaded.metadata('kept')).toEqual(METADATA);
      expect(loaded.offsetCount).toBe(1);
    }
  });

  it('has writes under way in its snapshot', async () => {
    const log = new MemoryOffsetLog();
    log.isHeld = true;
    const store = new OffsetStore({ logger: SILENT, log });
    const written = store.write('group', offset(1));
    expect([...store.snapshot()]).toHaveLength(1);
    log.release();
    await written;
  });

  it('passes over records that cannot be read, with a line for the first ones', async () => {
    const lines: string[] = [];
    const logger = { info: () => undefined, warn: (message: string) => lines.push(message) };
    const store = new OffsetStore({ logger });
    const key = encodeOffsetKey('group', 'topic', 0);
    const bad = [
      { key: null, value: null },
      { key: Buffer.from([0, 1, 0]), value: null },
      { key, value: Buffer.from([0, 3, 1]) },
      { key: encodeGroupKey('group'), value: Buffer.from([9, 9]) },
    ];
    const many = Array.from({ length: 20 }, () => ({ key: Buffer.from([1]), value: null }));
    const other = { key: Buffer.from([0, 3, 0, 0]), value: Buffer.from([1]) };
    expect(await store.load([...bad, other, ...many])).toEqual({ applied: 1, skipped: 24 });
    expect(lines).toHaveLength(11);
    expect([...store.groupIds()]).toEqual([]);
  });

  it('copies what it loads out of the buffers it reads from', async () => {
    const log = new MemoryOffsetLog();
    const store = new OffsetStore({ logger: SILENT, log });
    const members = [
      {
        memberId: 'm',
        groupInstanceId: null,
        clientId: 'c',
        clientHost: '/h',
        rebalanceTimeoutMs: 1,
        sessionTimeoutMs: 1,
        subscription: Buffer.from('subscription'),
        assignment: Buffer.from('assignment'),
      },
    ];
    await store.write('group', { metadata: { ...METADATA, protocolName: 'range', members } });
    const loaded = new OffsetStore({ logger: SILENT });
    await loaded.load(log.records);
    for (const { key, value } of log.records) {
      key.fill(0);
      value?.fill(0);
    }
    expect(loaded.metadata('group')?.members).toEqual(members);
  });
});
