import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CheckRun } from '../harness/run-checks.ts';
import { runCommand } from '../harness/run-command.ts';
import { openBucket, type StoreServer, storeProperties } from '../harness/stores/store-server.ts';

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
  await checks.check(
    `${flag}: each segment has its three objects, and none shows its text`,
    async () => {
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
          if (kinds.toSorted().join() === SEGMENT_SUFFIXES.join()) continue;
          throw new Error(`${segment} has ${kinds.join(', ')}`);
        }
        return `${bySegment.size} segments, ${bytes} bytes`;
      } finally {
        await bucket[Symbol.asyncDispose]();
      }
    },
  );
}

function commandPath(): string {
  const manifest = createRequire(import.meta.url).resolve('logloft/package.json');
  return join(dirname(manifest), 'dist/main.js');
}
