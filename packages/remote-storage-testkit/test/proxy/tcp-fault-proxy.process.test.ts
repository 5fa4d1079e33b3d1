import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { seededBytes, startTcpFaultProxy, type TcpFault } from '../../src/index.ts';
import { ask, until } from './ask.ts';
import { bytesOf, startTargetServer } from './target-server.ts';

const PUT = { method: 'PUT', body: seededBytes(1, 300_000) };

test('bytes pass both ways, and are counted', async () => {
  await using target = await startTargetServer();
  await using proxy = await startTcpFaultProxy({ target: target.url });
  const answer = await ask(`${proxy.url}/bytes/100000`, PUT);
  expect(answer.body.equals(bytesOf(100_000))).toBe(true);
  await until(() => proxy.log[0]?.isOpen === false);
  expect(proxy.log[0]?.bytesUp).toBeGreaterThan(300_000);
  expect(proxy.log[0]?.bytesDown).toBeGreaterThan(100_000);
});

test('each connection gets its own fault, by its number', async () => {
  await using target = await startTargetServer();
  const plan: readonly (TcpFault | undefined)[] = [
    { type: 'reset' },
    { type: 'cut', direction: 'up', afterBytes: 100_000 },
    { type: 'cut', direction: 'down', afterBytes: 50_000, reset: true },
    undefined,
  ];
  await using proxy = await startTcpFaultProxy({
    target: target.url,
    faults: (number) => plan[number - 1],
  });
  expect(await ask(`${proxy.url}/bytes/100000`)).toMatchObject({ failure: 'ECONNRESET' });
  expect((await ask(`${proxy.url}/k`, PUT)).failure).toBeDefined();
  const cut = await ask(`${proxy.url}/bytes/100000`);
  expect(cut.failure).toBeDefined();
  expect(cut.body.byteLength).toBeLessThan(50_000);
  expect(await ask(`${proxy.url}/bytes/100000`)).toMatchObject({ status: 200 });
  expect(proxy.log[1]?.bytesUp).toBe(100_000);
  expect(proxy.log[2]?.bytesDown).toBe(50_000);
  expect(target.committed.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test.each<TcpFault>([
  { type: 'silent' },
  { type: 'stall', direction: 'down', afterBytes: 20 },
  { type: 'stall', direction: 'up', afterBytes: 20 },
])('a connection that hangs does so until it is left: %j', async (fault) => {
  await using target = await startTargetServer();
  await using proxy = await startTcpFaultProxy({ target: target.url, faults: () => fault });
  const controller = new AbortController();
  const asking = ask(`${proxy.url}/bytes/100000`, { signal: controller.signal });
  const direction = fault.type === 'stall' && fault.direction === 'down' ? 'bytesDown' : 'bytesUp';
  const passed = fault.type === 'stall' ? 20 : 0;
  await until(() => proxy.log[0]?.[direction] === passed);
  expect(proxy.log[0]?.isOpen).toBe(true);
  controller.abort();
  expect(await asking).toMatchObject({ status: undefined });
  await until(() => proxy.log[0]?.isOpen === false);
});

test('a port that refuses can be opened again', async () => {
  await using target = await startTargetServer();
  await using proxy = await startTcpFaultProxy({ target: target.url });
  await proxy.refuse();
  expect(await ask(`${proxy.url}/k`)).toMatchObject({ failure: 'ECONNREFUSED' });
  await proxy.admit();
  expect(await ask(`${proxy.url}/k`)).toMatchObject({ status: 201 });
});

test('a rate holds, by the clock', async () => {
  await using target = await startTargetServer();
  const clock = new ManualClock();
  const faults = (): TcpFault => ({ type: 'throttle', bytesPerSecond: 10_000 });
  await using proxy = await startTcpFaultProxy({ target: target.url, clock, faults });
  const asking = ask(`${proxy.url}/bytes/20000`);
  let done = false;
  void asking.then(() => {
    done = true;
  });
  for (;;) {
    await until(() => done || clock.pendingTimers > 0);
    if (done) break;
    clock.advance(clock.nextTimerInMs ?? 0);
  }
  expect((await asking).body.equals(bytesOf(20_000))).toBe(true);
  expect(clock.monotonic()).toBeGreaterThan(2_000);
  expect(clock.monotonic()).toBeLessThan(2_200);
});

test('closing breaks off what is open', async () => {
  await using target = await startTargetServer();
  const proxy = await startTcpFaultProxy({
    target: target.url,
    faults: () => ({ type: 'silent' }),
  });
  const asking = ask(`${proxy.url}/k`);
  await until(() => proxy.log.length === 1);
  await proxy.close();
  expect((await asking).failure).toBeDefined();
  expect(proxy.log[0]?.isOpen).toBe(false);
});
