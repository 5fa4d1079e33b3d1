import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { LogloftProcess } from './logloft-process.ts';

const ANYWHERE = ['--port', '0', '--http', '127.0.0.1:0'];

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function occupiedPort(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP port');
  return { server, port: address.port };
}

async function sendAndRead(bootstrapServers: string): Promise<string[]> {
  const kafka = new Kafka({ brokers: [bootstrapServers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: 'letters', messages: [{ value: 'a' }, { value: 'b' }] });
  await producer.disconnect();
  const consumer = kafka.consumer({ groupId: 'g' });
  await consumer.connect();
  await consumer.subscribe({ topic: 'letters', fromBeginning: true });
  const values: string[] = [];
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          values.push(message.value?.toString() ?? '');
          if (values.length === 2) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return values;
}

describe('logloft start', () => {
  it('says on the first line of --json what runs where, and kafkajs can use it', async () => {
    await using logloft = new LogloftProcess([...ANYWHERE, '--json']);
    const ready = await logloft.ready();
    expect(ready).toMatchObject({
      event: 'ready',
      nodeId: 0,
      clusterId: expect.stringMatching(/^[\w-]{22}$/),
      remoteStorage: 'local',
      temporary: true,
      readyMs: expect.any(Number),
      pid: logloft.child.pid,
    });
    expect(ready.directory?.startsWith(logloft.temporary)).toBe(true);
    expect(await sendAndRead(ready.kafka)).toEqual(['a', 'b']);
    logloft.child.kill('SIGINT');
    const { code, stdout } = await logloft.ended();
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    expect(events[0]).toBe('ready');
    expect(events.at(-1)).toBe('stopped');
    expect(new Set(events.slice(1, -1))).toEqual(new Set(['log']));
  });

  it('shows a banner to people', async () => {
    await using logloft = new LogloftProcess(ANYWHERE);
    expect(await logloft.line()).toMatch(/^logloft \S+ is ready in \d+ ms/);
  });

  it('answers /healthz, /readyz and /metrics on loopback', async () => {
    await using logloft = new LogloftProcess([...ANYWHERE, '--json']);
    const { http } = await logloft.ready();
    expect(http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${http}/healthz`)).text()).toBe('ok\n');
    const ready = await fetch(`${http}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, 'ready\n']);
    const metrics = await fetch(`${http}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('version=0.0.4');
    const text = await metrics.text();
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^# TYPE logloft_\w+ gauge$/m);
    expect((await fetch(`${http}/nothing`)).status).toBe(404);
    expect((await fetch(`${http}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('ends cleanly at Ctrl-C, and its temporary directory is gone', async () => {
    await using logloft = new LogloftProcess([...ANYWHERE, '--json']);
    const { directory } = await logloft.ready();
    expect(existsSync(directory ?? '')).toBe(true);
    logloft.child.kill('SIGTERM');
    expect((await logloft.ended()).code).toBe(0);
    expect(readdirSync(logloft.temporary)).toEqual([]);
  });

  it('ends at once, with 130, at a second Ctrl-C while it starts or ends', async () => {
    await using logloft = new LogloftProcess([...ANYWHERE, '--json'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
        // Both signals are there before anything else can happen.
        `process.once('newListener', () => {});
         const on = process.on.bind(process);
         process.on = (name, listener) => {
           on(name, listener);
           if (name === 'SIGTERM') { process.emit('SIGINT'); process.emit('SIGINT'); }
           return process;
         };`,
      )}`,
    });
    expect((await logloft.ended()).code).toBe(130);
  });

  it('sweeps what a killed process left behind', async () => {
    await using killed = new LogloftProcess([...ANYWHERE, '--json']);
    const { directory } = await killed.ready();
    killed.child.kill('SIGKILL');
    await killed.ended();
    expect(existsSync(directory ?? '')).toBe(true);
    await using next = new LogloftProcess([...ANYWHERE, '--json'], { TMPDIR: killed.temporary });
    await next.ready();
    expect(existsSync(directory ?? '')).toBe(false);
  });

  it('writes nothing to disk with --memory', async () => {
    await using logloft = new LogloftProcess([...ANYWHERE, '--json', '--memory=64MiB']);
    const ready = await logloft.ready();
    expect(ready).toMatchObject({ directory: null, remoteStorage: 'memory' });
    expect(await sendAndRead(ready.kafka)).toEqual(['a', 'b']);
    expect(filesBelow(logloft.temporary)).toEqual([]);
  });

  it('keeps everything with --data', async () => {
    const data = mkdtempSync(join(tmpdir(), 'logloft.data-'));
    try {
      let clusterId: unknown;
      for (const round of [1, 2]) {
        await using logloft = new LogloftProcess([...ANYWHERE, '--json', '--data', data]);
        const ready = await logloft.ready();
        expect(ready).toMatchObject({ directory: join(data, 'log'), temporary: false });
        if (round === 1) await sendAndRead(ready.kafka);
        else expect(ready['clusterId']).toBe(clusterId);
        clusterId = ready['clusterId'];
        logloft.child.kill('SIGINT');
        expect((await logloft.ended()).code).toBe(0);
        expect(readdirSync(logloft.temporary)).toEqual([]);
      }
      expect(readdirSync(data).sort()).toEqual(['log', 'remote']);
    } finally {
      rmSync(data, { recursive: true });
    }
  });

  it('tiers to a plugin that is a file away', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'logloft.plugin-'));
    try {
      const plugin = join(directory, 'mine.mjs');
      writeFileSync(
        plugin,
        `export function createRemoteStorage() {
           const capabilities = { name: 'mine', durable: false, paced: false, maxSegmentBytes: 1e9 };
           return { capabilities, async [Symbol.asyncDispose]() {} };
         }`,
      );
      await using logloft = new LogloftProcess([...ANYWHERE, '--json', '--remote-storage', plugin]);
      expect(await logloft.ready()).toMatchObject({ remoteStorage: 'mine' });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('a start that fails', () => {
  async function failed(...args: string[]) {
    await using logloft = new LogloftProcess(args);
    const ended = await logloft.ended();
    expect(ended.stdout).toBe('');
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    expect(filesBelow(logloft.temporary)).toEqual([]);
    return ended;
  }

  it('says whose the port is and the ways out, with 3', async () => {
    const { server, port } = await occupiedPort();
    try {
      const kafka = await failed('--port', `${port}`, '--http', 'off');
      expect(kafka.code).toBe(3);
      expect(kafka.stderr).toContain(`The Kafka port 127.0.0.1:${port} is taken by `);
      expect(kafka.stderr).toContain('--port 0 picks a free one');
      if (process.platform === 'linux') expect(kafka.stderr).toContain(`(pid ${process.pid})`);
      const http = await failed('--port', '0', '--http', `127.0.0.1:${port}`);
      expect(http.code).toBe(3);
      expect(http.stderr).toContain('--http off');
    } finally {
      server.close();
    }
  });

  it('names the nearest property for a mistyped one, with 2', async () => {
    const { code, stderr } = await failed(...ANYWHERE, '--set', 'log.segment.byte=1024');
    expect(code).toBe(2);
    expect(stderr).toContain('log.segment.byte');
    expect(stderr).toContain('log.segment.bytes');
  });

  it('names the nearest flag for a mistyped one, with 2', async () => {
    const { code, stderr } = await failed('--prot', '1');
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean --port?');
  });

  it('refuses features that are not served, by name', async () => {
    const { code, stderr } = await failed(...ANYWHERE, '--set', 'listeners=SASL_SSL://127.0.0.1:0');
    expect(code).toBe(2);
    expect(stderr).toMatch(/SASL/);
  });

  it('prints how a missing plugin is installed', async () => {
    const { code, stderr } = await failed(...ANYWHERE, '--remote-storage', '@example/store');
    expect(code).toBe(1);
    expect(stderr).toContain('npm install @example/store');
  });

  it('is an event in --json', async () => {
    await using logloft = new LogloftProcess([...ANYWHERE, '--json', '--set', 'nonsense=1']);
    const { code, stdout } = await logloft.ended();
    expect(code).toBe(2);
    const last = stdout.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ event: 'error', exitCode: 2 });
  });
});
