import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, it } from 'vitest';
import { StatusServer } from '../../src/http/status-server.ts';
import { PortTakenError } from '../../src/port-taken-error.ts';

it('is not ready before the broker is, and alive all the same', async () => {
  let isReady = false;
  const options = {
    host: '127.0.0.1',
    port: 0,
    metrics: new MetricsRegistry({ clock: new ManualClock() }),
    processTimes: { startedMs: 1_000 },
    isReady: () => isReady,
  };
  const server = await StatusServer.listen(options);
  try {
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    isReady = true;
    expect((await fetch(`${server.url}/readyz?verbose`)).status).toBe(200);
    const head = await fetch(`${server.url}/metrics`, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
    const port = Number(new URL(server.url).port);
    await expect(StatusServer.listen({ ...options, port })).rejects.toThrow(PortTakenError);
  } finally {
    await server.close();
    await server.close();
  }
});
