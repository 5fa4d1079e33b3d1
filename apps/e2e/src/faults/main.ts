import { parseArgs } from 'node:util';
import { runChecks } from '../harness/run-checks.ts';
import { startAzurite } from '../harness/stores/azure-server.ts';
import { startGcs } from '../harness/stores/gcs-server.ts';
import { startS3StubServer } from '../harness/stores/s3-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { sealedLayout } from '../tiers/layout-properties.ts';
import { adapterRuns } from './adapter-runs.ts';

const DEADLINE_MS = 20 * 60 * 1000;
const PREFIX = 'rsm.config.';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string' },
    store: { type: 'string' },
  },
});
const runs = Number(values.runs);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

await runChecks(
  `e2e:faults: ${runs} runs of copy, read and delete an adapter, through a proxy that breaks requests (seed ${seed})`,
  async ({ checks, cleanup }) => {
    const directory = await temporaryDirectory(cleanup);
    const properties = Object.entries(await sealedLayout(directory, 'faults'));
    const sealed = Object.fromEntries(
      properties.map(([name, value]) => [name.slice(PREFIX.length), value]),
    );
    const servers = [
      await startS3StubServer(cleanup),
      await startGcs(cleanup),
      await startAzurite(cleanup),
    ].filter(({ flag }) => values.store === undefined || values.store === flag);
    // Side by side: most of the time of a run is waiting.
    const outcomes = await Promise.allSettled(
      servers.map((server) => adapterRuns(server, { runs, seed, sealed }, cleanup)),
    );
    for (const [index, outcome] of outcomes.entries()) {
      const title = servers[index]?.title ?? '';
      await checks.check(
        `${title}: every call settles, no object is left after the clean-up, all bytes read are right`,
        () => {
          if (outcome.status === 'rejected') throw outcome.reason;
          const { slowest, ...figures } = outcome.value;
          return `${JSON.stringify(figures)}; slowest ${slowest}`;
        },
      );
    }
  },
  { deadlineMs: DEADLINE_MS },
);
