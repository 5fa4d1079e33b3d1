import { runChecks } from '../harness/run-checks.ts';
import { startAzurite } from '../harness/stores/azure-server.ts';
import { startGcs } from '../harness/stores/gcs-server.ts';
import { startS3 } from '../harness/stores/s3-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { checkDamages } from './damage-check.ts';
import { checkDemo } from './demo-check.ts';
import { sealedLayout } from './layout-properties.ts';

await runChecks(
  'e2e:tiers: S3, Google Cloud Storage and Azure as the remote tier, compressed and encrypted',
  async (run) => {
    const directory = await temporaryDirectory(run.cleanup);
    const layout = await sealedLayout(directory, 'first');
    for (const start of [startS3, startGcs, startAzurite]) {
      const server = await start(run.cleanup);
      run.checks.note(server.title);
      await checkDemo(run, server, layout);
      await checkDamages(run, server, layout);
    }
  },
);
