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

it('tells the metrics of the broker and of the process, in the format that is asked for', async () => {
  const metrics = new MetricsRegistry({ clock: new ManualClock() });
  const name = metrics.metricName({ name: 'BytesIn-total', group: 'broker-topic-metrics' });
  metrics.addGauge(name, () => 7);
  const server = await StatusServer.listen({
    host: '127.0.0.1',
    port: 0,
    metrics,
    processTimes: { startedMs: 1_500 },
    isReady: () => true,
  });
  try {
    const plain = await fetch(`${server.url}/metrics`);
    expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await plain.text();
    expect(text).toContain('logloft_broker_topic_bytes_in_total 7\n');
    expect(text).toContain('process_start_time_seconds 1.5\n');
    const accept = 'application/openmetrics-text;version=1.0.0';
    const open = await fetch(`${server.url}/metrics`, { headers: { accept } });
    expect(open.headers.get('content-type')).toContain(accept.split(';', 1)[0]);
    expect(await open.text()).toMatch(/\n# EOF\n$/);
  } finally {
    await server.close();
  }
});
