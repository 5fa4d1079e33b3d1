import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import {
  ByteLimit,
  type ExhaustedPolicy,
  InvalidQuotaOptionError,
  QuotaClosedError,
  QuotaNameTakenError,
  QuotaTimeoutError,
  ReadQuotaManager,
  ReservationEndedError,
  WriteQuotaManager,
  type WriteQuotaScope,
} from '@logloft/quota';
import { describe, expect, test } from 'vitest';

const MIB = 1_048_576;

function setUp(options: { exhausted?: ExhaustedPolicy; scope?: WriteQuotaScope } = {}): {
  clock: ManualClock;
  metrics: MetricsRegistry;
  manager: WriteQuotaManager;
} {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const manager = new WriteQuotaManager({
    clock,
    metrics,
    limit: ByteLimit.of(MIB),
    ...options,
  });
  return { clock, metrics, manager };
}

function shown(metrics: MetricsRegistry, wanted: string): number | undefined {
  return [...metrics.snapshot()].find(({ name }) => name.toString() === wanted)?.value;
}

describe('the write quota that aborts', () => {
  test('admits a segment, refuses the next while that is in flight, and again until it is paid for', async () => {
    const { clock, manager } = setUp();
    const permit = await manager.admit({ writer: '0', bytes: 4 * MIB });
    expect(await manager.admit({ writer: '1', bytes: 1 })).toBeUndefined();
    clock.advance(1_000);
    permit?.settle(4 * MIB);
    expect(await manager.admit({ writer: '1', bytes: 1 })).toBeUndefined();
    clock.advance(2_999);
    expect(manager.isExceeded('1')).toBe(true);
    clock.advance(1);
    expect(await manager.admit({ writer: '1', bytes: 1 })).toBeDefined();
  });

  test('a failed copy gives back what it held, or settles what it sent', async () => {
    const { manager } = setUp();
    const failed = await manager.admit({ writer: '0', bytes: 100 * MIB });
    failed?.release();
    const cut = await manager.admit({ writer: '0', bytes: 100 * MIB });
    cut?.settle(MIB);
    cut?.release();
    expect(() => cut?.settle(MIB)).toThrow(ReservationEndedError);
    expect(manager.brokerStatus()).toMatchObject({ reservedBytes: 0, byteRate: MIB });
  });

  test('refusals show their throttle times under the names of Kafka', async () => {
    const { metrics, manager } = setUp();
    (await manager.admit({ writer: '0', bytes: 3 * MIB }))?.settle(3 * MIB);
    await manager.admit({ writer: '0', bytes: 1 });
    expect(shown(metrics, 'RemoteLogManager/remote-copy-throttle-time-avg{}')).toBe(2_000);
    expect(shown(metrics, 'RemoteLogManager/remote-copy-throttle-time-max{}')).toBe(2_000);
  });

  test.each(['broker', 'writer'] as const)(
    'in the scope %s both rates are shown',
    async (scope) => {
      const { metrics, manager } = setUp({ scope });
      (await manager.admit({ writer: 'a', bytes: 300 }))?.settle(300);
      manager.record('b', 200);
      expect(shown(metrics, 'RLMCopy/byte-rate{}')).toBe(500);
      expect(shown(metrics, 'RLMCopy/byte-rate{writer=a}')).toBe(300);
      expect(shown(metrics, 'RLMCopy/byte-rate{writer=b}')).toBe(200);
      expect(manager.writerStatuses().get('b')?.byteRate).toBe(200);
    },
  );

  test('in the scope of a writer each has the limit to itself', async () => {
    const { manager } = setUp({ scope: 'writer' });
    (await manager.admit({ writer: '0', bytes: 2 * MIB }))?.settle(2 * MIB);
    expect(await manager.admit({ writer: '0', bytes: 1 })).toBeUndefined();
    expect(await manager.admit({ writer: '1', bytes: 1 })).toBeDefined();
    expect([manager.isExceeded('0'), manager.isExceeded('1')]).toEqual([true, false]);
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'a writer may be called %s',
    async (writer) => {
      const { metrics, manager } = setUp({ scope: 'writer' });
      (await manager.admit({ writer, bytes: 10 }))?.settle(10);
      expect(shown(metrics, `RLMCopy/byte-rate{writer=${writer}}`)).toBe(10);
    },
  );

  test('a new limit is felt by the next copy', async () => {
    const { manager } = setUp();
    (await manager.admit({ writer: '0', bytes: 2 * MIB }))?.settle(2 * MIB);
    manager.updateLimit(ByteLimit.of(2 * MIB));
    expect(manager.limit.bytesPerSecond).toBe(2 * MIB);
    expect(await manager.admit({ writer: '0', bytes: 1 })).toBeDefined();
  });

  test('without a limit everything is admitted', async () => {
    const manager = new WriteQuotaManager({ clock: new ManualClock() });
    for (let index = 0; index < 50; index += 1) {
      const permit = await manager.admit({ writer: '0', bytes: 2 ** 40 });
      expect(permit?.pacer).toBeUndefined();
      permit?.settle(2 ** 40);
    }
  });
});

describe('the write quota that waits', () => {
  test('lets copies go on in the order in which they came, a raised limit at once', async () => {
    const { clock, metrics, manager } = setUp({ exhausted: 'wait' });
    (await manager.admit({ writer: '0', bytes: 5 * MIB }))?.settle(5 * MIB);
    const order: string[] = [];
    const copies = ['a', 'b'].map(async (writer) => {
      const permit = await manager.admit({ writer, bytes: MIB });
      order.push(writer);
      permit?.settle(MIB);
    });
    await clock.advanceAsync(4_000);
    expect(order).toEqual([]);
    expect(manager.brokerStatus().waiting).toBe(2);
    expect(shown(metrics, 'RemoteLogManager/remote-copy-throttle-time-max{}')).toBe(4_000);
    manager.updateLimit(ByteLimit.unlimited);
    await clock.advanceAsync(0);
    await Promise.all(copies);
    expect(order).toEqual(['a', 'b']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('a waiting copy can be aborted and holds nothing', async () => {
    const { clock, manager } = setUp({ exhausted: 'wait' });
    (await manager.admit({ writer: '0', bytes: 5 * MIB }))?.settle(5 * MIB);
    const controller = new AbortController();
    const reason = new Error('leadership lost');
    const copy = manager.admit({ writer: '1', bytes: MIB, signal: controller.signal });
    controller.abort(reason);
    await expect(copy).rejects.toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  test('a waiting copy can have a deadline', async () => {
    const { clock, manager } = setUp({ exhausted: 'wait' });
    (await manager.admit({ writer: '0', bytes: 5 * MIB }))?.settle(5 * MIB);
    const copy = manager.admit({ writer: '1', bytes: MIB, timeoutMs: 3_000 });
    const rejected = expect(copy).rejects.toThrow(QuotaTimeoutError);
    await clock.advanceAsync(3_000);
    await rejected;
    expect([manager.brokerStatus().waiting, clock.pendingTimers]).toEqual([0, 0]);
  });

  test('closing rejects waiting copies and takes all metrics away', async () => {
    const { clock, metrics, manager } = setUp({ exhausted: 'wait' });
    (await manager.admit({ writer: '0', bytes: 5 * MIB }))?.settle(5 * MIB);
    const copy = manager.admit({ writer: '1', bytes: MIB });
    await manager.close();
    await manager.close();
    await expect(copy).rejects.toThrow(QuotaClosedError);
    await expect(manager.admit({ writer: '2', bytes: 1 })).rejects.toThrow(QuotaClosedError);
    expect([...metrics.metrics()].map(({ name }) => name.name)).toEqual(['count']);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the write quota that paces', () => {
  test('admits at once and shares one pacer among the writers of a broker', async () => {
    const { manager } = setUp({ exhausted: 'pace' });
    const permits = await Promise.all(
      ['0', '1'].map((writer) => manager.admit({ writer, bytes: 100 * MIB })),
    );
    expect(permits[0]?.pacer).toBeDefined();
    expect(permits[0]?.pacer).toBe(permits[1]?.pacer);
    expect(manager.isExceeded('0')).toBe(false);
  });

  test('gives each writer its own pacer in the scope of a writer, and a new limit to all', async () => {
    const { clock, manager } = setUp({ exhausted: 'pace', scope: 'writer' });
    const permits = await Promise.all(
      ['0', '1'].map((writer) => manager.admit({ writer, bytes: MIB })),
    );
    expect(permits[0]?.pacer).not.toBe(permits[1]?.pacer);
    let passed = 0;
    const takes = permits.map(async (permit) => {
      await permit?.pacer?.take(10 * MIB, {});
      await permit?.pacer?.take(1, {});
      passed += 1;
    });
    await clock.advanceAsync(100);
    expect(passed).toBe(0);
    manager.updateLimit(ByteLimit.unlimited);
    await Promise.all(takes);
    expect(passed).toBe(2);
  });

  test('shows what was settled', async () => {
    const { metrics, manager } = setUp({ exhausted: 'pace' });
    (await manager.admit({ writer: '0', bytes: MIB }))?.settle(2 * MIB);
    expect(shown(metrics, 'RLMCopy/byte-rate{}')).toBe(2 * MIB);
    expect(shown(metrics, 'RLMCopy/byte-rate{writer=0}')).toBe(2 * MIB);
  });
});

describe('the read quota', () => {
  test('answers at once: reads side by side do not pass the same gap', () => {
    const clock = new ManualClock();
    const metrics = new MetricsRegistry({ clock });
    const manager = new ReadQuotaManager({ clock, metrics, limit: ByteLimit.of(1_000) });
    const first = manager.tryAdmit(3_000);
    expect(manager.tryAdmit(3_000)).toBeUndefined();
    first?.settle(2_000);
    expect(manager.isExceeded()).toBe(true);
    expect(shown(metrics, 'RLMFetch/byte-rate{}')).toBe(2_000);
    expect(shown(metrics, 'RemoteLogManager/remote-fetch-throttle-time-max{}')).toBe(2_000);
    clock.advance(2_000);
    expect(manager.tryAdmit(1)).toBeDefined();
  });

  test('is open again when the window has room, and at once under a raised limit', () => {
    const clock = new ManualClock();
    const manager = new ReadQuotaManager({ clock, limit: ByteLimit.of(100_000) });
    manager.record(1_000_000);
    expect(manager.isExceeded()).toBe(true);
    manager.updateLimit(ByteLimit.of(1_000_000));
    expect([manager.isExceeded(), manager.status().isExceeded]).toEqual([false, false]);
    manager.updateLimit(ByteLimit.of(100_000));
    clock.advance(10_000);
    expect(manager.isExceeded()).toBe(false);
  });

  test('has the window of the draft, 11 samples of a second, unless told otherwise', () => {
    const clock = new ManualClock();
    const manager = new ReadQuotaManager({ clock, limit: ByteLimit.of(1) });
    manager.record(1_000_000);
    clock.advance(10_999);
    expect(manager.isExceeded()).toBe(true);
    clock.advance(1);
    expect(manager.isExceeded()).toBe(false);
  });
});

test('the write window is that of the draft, 61 samples of a second, unless told otherwise', async () => {
  const { clock, manager } = setUp();
  manager.record('0', 1_000_000 * MIB);
  clock.advance(60_999);
  expect(manager.isExceeded('0')).toBe(true);
  clock.advance(1);
  expect(manager.isExceeded('0')).toBe(false);
  expect(manager.spanMs).toBe(61_000);
});

test('two managers of one kind in one registry are refused', async () => {
  const { clock, metrics, manager } = setUp();
  expect(() => new WriteQuotaManager({ clock, metrics })).toThrow(QuotaNameTakenError);
  const read = new ReadQuotaManager({ clock, metrics });
  expect(() => new ReadQuotaManager({ clock, metrics })).toThrow(QuotaNameTakenError);
  await Promise.all([manager.close(), read.close()]);
  await using again = new WriteQuotaManager({ clock, metrics });
  expect([again.scope, again.exhausted]).toEqual(['broker', 'abort']);
});

test.each([
  [{ scope: 'cluster' }, /scope must be broker or writer, got 'cluster'/],
  [{ exhausted: 'sleep' }, /exhausted must be abort, wait or pace, got 'sleep'/],
  [{ samples: 0 }, /samples must be an integer from 1/],
])('settings that a file may hold but there are not are refused by name: %j', (wrong, message) => {
  const settings = wrong as { scope?: WriteQuotaScope; exhausted?: ExhaustedPolicy };
  const make = (): unknown => new WriteQuotaManager({ clock: new ManualClock(), ...settings });
  expect(make).toThrow(InvalidQuotaOptionError);
  expect(make).toThrow(message);
});
