import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import {
  type FaultProxy,
  type ProxyFault,
  ruledProxyFaults,
  seededBytes,
  seededProxyFaults,
  startFaultProxy,
} from '../../src/index.ts';
import { type Asked, ask, until } from './ask.ts';
import { bytesOf, startTargetServer, type TargetServer } from './target-server.ts';

const BODY = seededBytes(1, 300_000);
const PUT: Asked = { method: 'PUT', body: BODY };

async function behindProxy(
  fault: ProxyFault | undefined,
  body: (proxy: FaultProxy, target: TargetServer, clock: ManualClock) => Promise<void>,
): Promise<void> {
  await using target = await startTargetServer();
  const clock = new ManualClock();
  const faults = ruledProxyFaults(fault === undefined ? [] : [{ fault }]);
  await using proxy = await startFaultProxy({ target: target.url, faults, clock });
  await body(proxy, target, clock);
}

describe('what passes', () => {
  test('a request and its answer pass byte for byte, with headers, Host included', async () => {
    await behindProxy(undefined, async (proxy, target) => {
      const asked = { ...PUT, headers: { 'X-Mixed-Case': 'Ünd'.slice(1), Authorization: 'sig' } };
      const answer = await ask(`${proxy.url}/b/k%2F%2B?x=1&y`, asked);
      expect(answer).toMatchObject({ status: 201, failure: undefined });
      expect(answer.body.toString()).toBe('stored');
      expect(answer.headers['x-target']).toBe('yes');
      const [seen] = target.committed;
      expect(seen?.path).toBe('/b/k%2F%2B?x=1&y');
      expect(seen?.body.equals(BODY)).toBe(true);
      expect(seen?.rawHeaders).toContain('X-Mixed-Case');
      expect(seen?.rawHeaders).toContain(`127.0.0.1:${proxy.port}`);
      expect(seen?.rawHeaders).toContain(String(BODY.byteLength));
      expect(proxy.log).toEqual([
        {
          number: 1,
          method: 'PUT',
          path: '/b/k%2F%2B?x=1&y',
          fault: undefined,
          status: 201,
          requestBytes: BODY.byteLength,
          responseBytes: 6,
          outcome: 'answered',
        },
      ]);
    });
  });

  test('chunked bodies, bodies of no bytes, HEAD and DELETE pass', async () => {
    await behindProxy(undefined, async (proxy, target) => {
      const headers = { 'transfer-encoding': 'chunked' };
      const chunked = await fetch(`${proxy.url}/chunked`, {
        method: 'POST',
        body: new Blob([BODY]).stream(),
        duplex: 'half',
      } as RequestInit);
      expect(chunked.status).toBe(201);
      expect(target.committed[0]?.body.equals(BODY)).toBe(true);
      expect(await ask(`${proxy.url}/none`, { method: 'POST' })).toMatchObject({ status: 201 });
      const head = await ask(`${proxy.url}/bytes/1234`, { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, failure: undefined });
      expect(head.headers['content-length']).toBe('1234');
      const deleted = await ask(`${proxy.url}/k`, { method: 'DELETE', headers, body: BODY });
      expect(deleted.status).toBe(201);
    });
  });

  test('a client that asks before it sends is told to go on', async () => {
    await behindProxy(undefined, async (proxy, target) => {
      const answer = await ask(`${proxy.url}/k`, { ...PUT, headers: { expect: '100-continue' } });
      expect(answer.status).toBe(201);
      expect(target.committed[0]?.body.equals(BODY)).toBe(true);
      expect(target.committed[0]?.rawHeaders.map((name) => name.toLowerCase())).not.toContain(
        'expect',
      );
    });
  });

  test('a target that answers before it has the whole body is heard', async () => {
    const server = createServer((_, response) => {
      response.writeHead(413, { 'content-length': '9' });
      response.end('too large');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await using proxy = await startFaultProxy({ target: `http://127.0.0.1:${port}` });
    const asked = { ...PUT, headers: { 'content-length': '1000000' }, unfinished: true };
    const answer = await ask(`${proxy.url}/k`, asked);
    expect(answer).toMatchObject({ status: 413, failure: undefined });
    expect(answer.body.toString()).toBe('too large');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('a target that cannot be reached breaks the connection, and does not end the proxy', async () => {
    const target = await startTargetServer();
    await using proxy = await startFaultProxy({ target: target.url });
    await target[Symbol.asyncDispose]();
    for (const number of [1, 2]) {
      expect(await ask(`${proxy.url}/k`)).toMatchObject({ status: undefined });
      expect(proxy.log[number - 1]?.outcome).toBe('target-failed');
    }
  });

  test.each(['https://127.0.0.1', 'no url', 'file:///x'])(
    'the target %s is refused',
    async (target) => {
      await expect(startFaultProxy({ target })).rejects.toThrow(RangeError);
    },
  );
});

describe('faults', () => {
  test('a status is answered by the proxy itself, before or after the body', async () => {
    await behindProxy(undefined, async (proxy, target) => {
      for (const readBody of [true, false]) {
        const fault: ProxyFault = {
          type: 'status',
          status: 503,
          retryAfterSeconds: 7,
          headers: { 'content-type': 'application/xml' },
          body: '<Error/>',
          readBody,
        };
        proxy.use(ruledProxyFaults([{ fault }]));
        const answer = await ask(`${proxy.url}/k`, PUT);
        expect(answer).toMatchObject({ status: 503, failure: undefined });
        expect(answer.headers['retry-after']).toBe('7');
        expect(answer.headers['content-type']).toBe('application/xml');
        expect(answer.body.toString()).toBe('<Error/>');
      }
      expect(target.committed).toEqual([]);
      expect(proxy.log.map(({ status }) => status)).toEqual([503, 503]);
    });
  });

  test('a client that asks before it sends can be answered at once, and sends nothing', async () => {
    const fault: ProxyFault = { type: 'status', status: 503, readBody: false };
    await behindProxy(fault, async (proxy) => {
      const answer = await ask(`${proxy.url}/k`, { ...PUT, headers: { expect: '100-continue' } });
      expect(answer).toMatchObject({ status: 503, failure: undefined });
      expect(answer.headers['connection']).toBe('close');
      expect(proxy.log[0]).toMatchObject({ requestBytes: 0, outcome: 'answered' });
    });
  });

  test('a delayed request reaches its target when its time has come', async () => {
    await behindProxy({ type: 'delay', ms: 500 }, async (proxy, target, clock) => {
      const asking = ask(`${proxy.url}/k`, PUT);
      await until(() => clock.pendingTimers === 1);
      clock.advance(499);
      expect(clock.pendingTimers).toBe(1);
      expect(target.bytesSeen()).toBe(0);
      clock.advance(1);
      expect((await asking).status).toBe(201);
    });
  });

  test('a client that leaves a delayed request leaves no timer and no request', async () => {
    await behindProxy({ type: 'delay', ms: 500 }, async (proxy, target, clock) => {
      const controller = new AbortController();
      const asking = ask(`${proxy.url}/k`, { ...PUT, signal: controller.signal });
      await until(() => clock.pendingTimers === 1);
      controller.abort();
      await asking;
      await until(() => clock.pendingTimers === 0);
      expect(proxy.log[0]?.outcome).toBe('client-gone');
      expect(target.committed).toEqual([]);
    });
  });

  test('a black hole takes the request, and answers only by the end of the proxy', async () => {
    await behindProxy({ type: 'blackhole' }, async (proxy, target) => {
      const asking = ask(`${proxy.url}/k`, PUT);
      await until(() => proxy.log.length === 1);
      expect(proxy.log[0]?.outcome).toBe('open');
      await proxy.close();
      expect(await asking).toMatchObject({ status: undefined, failure: 'ECONNRESET' });
      expect(target.committed).toEqual([]);
    });
  });

  test('a reset is seen as one, and the target sees nothing', async () => {
    await behindProxy({ type: 'reset' }, async (proxy, target) => {
      const answer = await ask(`${proxy.url}/k`);
      expect(answer).toMatchObject({ status: undefined, failure: 'ECONNRESET' });
      expect(target.committed).toEqual([]);
      expect(proxy.log[0]?.outcome).toBe('cut');
    });
  });

  test.each([false, true])('a request is cut after so many bytes (reset: %s)', async (reset) => {
    const fault: ProxyFault = { type: 'cut-request', afterBytes: 123_456, reset };
    await behindProxy(fault, async (proxy, target) => {
      const answer = await ask(`${proxy.url}/k`, PUT);
      expect(answer.status).toBeUndefined();
      expect(answer.failure).toBeDefined();
      await until(() => target.brokenOff() === 1);
      expect(target.committed).toEqual([]);
      // A reset may overtake what the target had not read yet.
      if (!reset) expect(target.bytesSeen()).toBe(123_456);
      expect(proxy.log[0]).toMatchObject({ requestBytes: 123_456, outcome: 'cut' });
    });
  });

  test('a body that is not longer than the cut passes whole', async () => {
    const fault: ProxyFault = { type: 'cut-request', afterBytes: BODY.byteLength };
    await behindProxy(fault, async (proxy) => {
      expect((await ask(`${proxy.url}/k`, PUT)).status).toBe(201);
    });
  });

  test('an answer is cut after so many bytes', async () => {
    await behindProxy({ type: 'truncate-response', afterBytes: 70_001 }, async (proxy) => {
      const answer = await ask(`${proxy.url}/bytes/200000`);
      expect(answer).toMatchObject({ status: 200, failure: 'ECONNRESET' });
      expect(answer.body.equals(bytesOf(200_000).subarray(0, 70_001))).toBe(true);
      expect(proxy.log[0]).toMatchObject({ responseBytes: 70_001, outcome: 'cut' });
    });
  });

  test('an answer can be cut by a reset', async () => {
    const fault: ProxyFault = { type: 'truncate-response', afterBytes: 70_001, reset: true };
    await behindProxy(fault, async (proxy) => {
      const answer = await ask(`${proxy.url}/bytes/200000`);
      expect(answer.failure).toBe('ECONNRESET');
      expect(answer.body.byteLength).toBeLessThanOrEqual(70_001);
    });
  });

  test('an answer stalls after so many bytes until the client leaves', async () => {
    await behindProxy({ type: 'stall-response', afterBytes: 70_001 }, async (proxy) => {
      const controller = new AbortController();
      let seen = 0;
      const asking = ask(`${proxy.url}/bytes/200000`, {
        signal: controller.signal,
        onBytes: (total) => {
          seen = total;
        },
      });
      await until(() => seen === 70_001);
      expect(proxy.log[0]?.outcome).toBe('open');
      controller.abort();
      expect((await asking).body.byteLength).toBe(70_001);
      await until(() => proxy.log[0]?.outcome !== 'open');
      expect(proxy.log[0]?.outcome).toBe('client-gone');
    });
  });

  test.each([false, true])(
    'a dropped answer is one to a request that was carried out (reset: %s)',
    async (reset) => {
      await behindProxy({ type: 'drop-response', reset }, async (proxy, target) => {
        const answer = await ask(`${proxy.url}/k`, PUT);
        expect(answer).toMatchObject({ status: undefined, failure: 'ECONNRESET' });
        expect(target.committed).toHaveLength(1);
        expect(target.committed[0]?.body.equals(BODY)).toBe(true);
        expect(proxy.log[0]).toMatchObject({ status: undefined, outcome: 'cut' });
      });
    },
  );

  test('a length that is too small truncates in silence, one that is too large breaks off', async () => {
    await behindProxy(undefined, async (proxy) => {
      proxy.use(ruledProxyFaults([{ fault: { type: 'wrong-length', offByBytes: -5 } }]));
      const short = await ask(`${proxy.url}/bytes/1000`);
      expect(short).toMatchObject({ status: 200, failure: undefined });
      expect(short.body.equals(bytesOf(1_000).subarray(0, 995))).toBe(true);
      const head = await ask(`${proxy.url}/bytes/1000`, { method: 'HEAD' });
      expect(head.headers['content-length']).toBe('995');
      proxy.use(ruledProxyFaults([{ fault: { type: 'wrong-length', offByBytes: 5 } }]));
      const long = await ask(`${proxy.url}/bytes/1000`);
      expect(long.headers['content-length']).toBe('1005');
      expect(long).toMatchObject({ status: 200, failure: 'ECONNRESET' });
      expect(long.body.byteLength).toBe(1_000);
    });
  });

  test('a rate holds in both directions, to the ms of the clock', async () => {
    const fault: ProxyFault = {
      type: 'throttle',
      upBytesPerSecond: 100_000,
      downBytesPerSecond: 50_000,
    };
    await behindProxy(fault, async (proxy, target, clock) => {
      const start = clock.monotonic();
      const sending = ask(`${proxy.url}/k`, PUT);
      await driven(clock, sending, () => {
        const allowed = ((clock.monotonic() - start) * 100_000) / 1_000;
        expect(target.bytesSeen()).toBeLessThanOrEqual(allowed + 0.001);
      });
      // 300,000 bytes up take 3 s, and the 6 bytes of the answer 0.12 ms.
      expect(clock.monotonic() - start).toBeCloseTo(3_000.12, 2);
      const later = clock.monotonic();
      const reading = ask(`${proxy.url}/bytes/100000`);
      await driven(clock, reading, () => undefined);
      expect(clock.monotonic() - later).toBeCloseTo(2_000, 2);
      expect((await reading).body.byteLength).toBe(100_000);
    });
  });

  test('when the client leaves in the middle of its body, the target is left, too', async () => {
    await behindProxy(undefined, async (proxy, target) => {
      const controller = new AbortController();
      const headers = { 'content-length': '1000' };
      const body = BODY.subarray(0, 100);
      const asking = ask(`${proxy.url}/k`, {
        method: 'PUT',
        headers,
        body,
        unfinished: true,
        signal: controller.signal,
      });
      await until(() => target.bytesSeen() === 100);
      controller.abort();
      await asking;
      await until(() => target.brokenOff() === 1 && proxy.log[0]?.outcome === 'client-gone');
      expect(target.committed).toEqual([]);
    });
  });
});

test('a connection is kept for the requests after one that was answered by the proxy', async () => {
  await behindProxy(undefined, async (proxy, target) => {
    const fault: ProxyFault = { type: 'status', status: 500, readBody: false };
    proxy.use(ruledProxyFaults([{ times: 3, fault }]));
    const statuses: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { status } = await fetch(`${proxy.url}/k`, { method: 'PUT', body: BODY });
      statuses.push(status);
    }
    expect(statuses).toEqual([500, 500, 500, 201, 201]);
    expect(target.committed).toHaveLength(2);
  });
});

test('a seeded plan does the same to the same requests, and every request ends', async () => {
  await using target = await startTargetServer();
  const run = async (): Promise<readonly string[]> => {
    await using proxy = await startFaultProxy({
      target: target.url,
      faults: seededProxyFaults(11, { rate: 0.7 }),
    });
    for (let round = 0; round < 40; round += 1) {
      await ask(`${proxy.url}/bytes/150000`, round % 2 === 0 ? PUT : {});
    }
    await until(() => proxy.log.every(({ outcome }) => outcome !== 'open'));
    return proxy.log.map(({ fault, outcome }) => `${JSON.stringify(fault)} ${outcome}`);
  };
  const first = await run();
  expect(first).toEqual(await run());
  expect(new Set(first).size).toBeGreaterThan(5);
});

/** Moves the clock from timer to timer until the work is done, looking at the world after each. */
async function driven(clock: ManualClock, work: Promise<unknown>, look: () => void): Promise<void> {
  let done = false;
  void work.then(() => {
    done = true;
  });
  for (;;) {
    await until(() => done || clock.pendingTimers > 0);
    if (done) return;
    clock.advance(clock.nextTimerInMs ?? 0);
    await new Promise((resolve) => setImmediate(resolve));
    look();
  }
}
