import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { collectBytes, type ObjectStore } from '@logloft/remote-storage';
import type { CheckRun } from '../harness/run-checks.ts';
import { runCommand } from '../harness/run-command.ts';
import { openBucket, type StoreServer, storeProperties } from '../harness/stores/store-server.ts';

const ZSTD_MAGIC = Buffer.from('28b52ffd', 'hex');
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

interface Manifest {
  readonly compression?: boolean;
  readonly encryption?: { readonly dataKey?: string };
}

const SEGMENT_SUFFIXES = ['.indexes', '.log', '.rsm-manifest'] as const;

/** The demo of the command against a store, with its layout sealed. */
export async function checkDemo(
  { checks }: CheckRun,
  server: StoreServer,
  layout: Readonly<Record<string, string>>,
): Promise<void> {
  const { flag } = server;
  const properties = Object.entries({ ...storeProperties(server), ...layout });
  await checks.check(
    `${flag}: the demo, compressed and encrypted, ends in equal SHA-256`,
    async () => {
      const { stdout } = await runCommand(
        process.execPath,
        [
          ...[commandPath(), 'demo', '--remote-storage', flag],
          ...properties.flatMap(([name, value]) => ['--set', `${name}=${value}`]),
        ],
        { timeoutMs: 150_000 },
      );
      const last = stdout.trim().split('\n').at(-1) ?? '';
      if (!/^demo ok: .*sha256 match$/.test(last)) throw new Error(stdout);
      return last;
    },
  );
  await checks.check(`${flag}: each segment has its three objects, the log sealed`, async () => {
    const bucket = await openBucket(server);
    try {
      const bySegment = new Map<string, string[]>();
      let bytes = 0;
      for await (const { key, size } of bucket.list()) {
        const end = key.lastIndexOf('.');
        const kinds = bySegment.get(key.slice(0, end)) ?? [];
        bySegment.set(key.slice(0, end), [...kinds, key.slice(end)]);
        bytes += size;
      }
      if (bySegment.size === 0) throw new Error('the bucket is empty');
      for (const [segment, kinds] of bySegment) {
        if (kinds.toSorted().join() !== SEGMENT_SUFFIXES.join()) {
          throw new Error(`${segment} has ${kinds.join(', ')}`);
        }
        await assertSealed(bucket, segment);
      }
      return `${bySegment.size} segments, ${bytes} bytes`;
    } finally {
      await bucket[Symbol.asyncDispose]();
    }
  });
}

/** Compressed, then encrypted: by what the manifest says, and by the bytes themselves. */
async function assertSealed(bucket: ObjectStore, segment: string): Promise<void> {
  const whole = async (key: string): Promise<Uint8Array> =>
    await collectBytes(await bucket.get(key), MAX_OBJECT_BYTES);
  const manifest: unknown = JSON.parse(
    new TextDecoder().decode(await whole(`${segment}.rsm-manifest`)),
  );
  const { compression, encryption } = manifest as Manifest;
  if (compression !== true || encryption?.dataKey?.startsWith('first:') !== true) {
    throw new Error(
      `${segment}: the manifest says compression ${compression}, ${encryption?.dataKey}`,
    );
  }
  const log = Buffer.from(await whole(`${segment}.log`));
  // Text, and what zstd leaves of it, is not as even as what the cipher makes.
  if (
    log.subarray(0, ZSTD_MAGIC.byteLength).equals(ZSTD_MAGIC) ||
    deflateSync(log).byteLength < log.byteLength
  ) {
    throw new Error(`${segment}: the log is stored in the clear`);
  }
}

function commandPath(): string {
  const manifest = createRequire(import.meta.url).resolve('logloft/package.json');
  return join(dirname(manifest), 'dist/main.js');
}
