import { fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { startBroker } from '@logloft/broker';
import { encodeRequest, produceApi } from '@logloft/protocol';
import { BatchBuilder } from '@logloft/records';

if (process.argv[2] === 'broker') {
  const dir = mkdtempSync('/tmp/adhoc-');
  const b = await startBroker({
    directory: dir,
    topics: [{ name: 't' }],
    config: { 'message.max.bytes': '2000000' },
  });
  process.send!({ port: b.port });
  let last = process.cpuUsage();
  process.on('message', () => {
    const c = process.cpuUsage(last);
    process.send!({ cpu: c.user + c.system });
    last = process.cpuUsage();
  });
} else {
  const child = fork(new URL(import.meta.url), ['broker'], {
    execArgv: [
      '--conditions=@logloft/source',
      ...(process.env.PROF ? ['--cpu-prof', '--cpu-prof-dir=/tmp/adhoc'] : []),
    ],
  });
  const { port } = await new Promise<any>((r) => child.once('message', r));
  const size = Number(process.argv[2] ?? 16384),
    inflight = Number(process.argv[3] ?? 5),
    total = Number(process.argv[4] ?? 50000);
  const bb = new BatchBuilder();
  bb.append({ timestamp: Date.now(), value: Buffer.alloc(size - 100) });
  const frame = Buffer.concat(
    encodeRequest(
      produceApi,
      { version: 9, correlationId: 1, clientId: 'x' },
      {
        transactionalId: null,
        acks: 1,
        timeoutMs: 1000,
        topicData: [{ name: 't', partitionData: [{ index: 0, records: bb.build() }] }],
      },
    ).chunks,
  );
  const s = connect(port, '127.0.0.1');
  s.setNoDelay(true);
  await new Promise<void>((r) => s.once('connect', () => r()));
  const starts: number[] = [];
  const lat = new Float64Array(total);
  let done = 0,
    sent = 0,
    buf = 0,
    need = 0;
  const send = () => {
    if (sent < total) {
      sent++;
      starts.push(performance.now());
      s.write(frame);
    }
  };
  const t0 = performance.now();
  await new Promise<void>((resolve) => {
    let acc = Buffer.alloc(0);
    s.on('data', (c: Buffer) => {
      acc = acc.length ? Buffer.concat([acc, c]) : c;
      const now = performance.now();
      while (acc.length >= 4) {
        const n = acc.readInt32BE(0) + 4;
        if (acc.length < n) break;
        acc = acc.subarray(n);
        lat[done] = now - starts[done]!;
        done++;
        send();
        if (done === total) resolve();
      }
    });
    for (let i = 0; i < inflight; i++) send();
  });
  const dt = performance.now() - t0;
  lat.sort();
  child.send('cpu');
  const { cpu } = await new Promise<any>((r) => child.once('message', r));
  console.log(
    `${((total / dt) * 1000).toFixed(0)} req/s`,
    `cpu ${(cpu / total).toFixed(1)} us/req`,
    'p50',
    lat[total >> 1]!.toFixed(3),
    'p95',
    lat[Math.floor(total * 0.95)]!.toFixed(3),
    'p99',
    lat[Math.floor(total * 0.99)]!.toFixed(3),
    'max',
    lat[total - 1]!.toFixed(2),
  );
  child.kill('SIGTERM');
  s.destroy();
}
