import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom, systemRandom } from '@logloft/clock';
import { BrokerProcess } from '../harness/broker-process.ts';
import { createTopic } from '../harness/create-topic.ts';
import { type CheckRun, runChecks } from '../harness/run-checks.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { tieringProperties } from '../harness/tiering-properties.ts';
import { checkBadBatches } from './bad-batches.ts';
import { mebibytes, residentBytes } from './broker-memory.ts';
import { checkFullDisk } from './full-disk.ts';
import { HealthyClient } from './healthy-client.ts';
import type { HostileScene } from './hostile-scene.ts';
import { LogLines } from './log-lines.ts';
import { checkMalformedFrames } from './malformed-frames.ts';
import { checkMutations } from './mutations.ts';
import { checkOddNames } from './odd-names.ts';
import { checkSlowClients } from './slow-clients.ts';
import { checkStoreOutage } from './store-outage.ts';

const HEALTHY_TOPIC = 'healthy';
const MAX_RESIDENT_BYTES = 512 * 1024 * 1024;

const { values } = parseArgs({ options: { seed: { type: 'string' } } });
const seed = values.seed === undefined ? systemRandom.nextUint32() : Number(values.seed);

await runChecks('e2e:hostile: bad input, a full disk and a failing store', async (run) => {
  run.checks.note(`seed ${seed}; to replay its choices: npm run -s e2e:hostile -- --seed ${seed}`);
  const scene = await openScene(run);
  await checkMalformedFrames(scene);
  await checkBadBatches(scene);
  await checkOddNames(scene);
  await checkSlowClients(scene);
  await checkMutations(scene);
  await checkEnd(scene);
  await checkFullDisk(run);
  await checkStoreOutage(run);
});

async function openScene({ checks, cleanup }: CheckRun): Promise<HostileScene> {
  const directory = await temporaryDirectory(cleanup);
  const broker = await BrokerProcess.start(
    {
      dataDirectory: join(directory, 'data'),
      properties: tieringProperties({ 'group.initial.rebalance.delay.ms': '0' }),
    },
    cleanup,
  );
  await createTopic(broker.bootstrap, HEALTHY_TOPIC, {
    configs: { 'remote.storage.enable': 'true' },
  });
  const healthy = await HealthyClient.start(broker.bootstrap, HEALTHY_TOPIC);
  const lines = new LogLines(broker);
  const random = seededRandom(seed);
  return { checks, broker, pid: broker.pid, healthy, lines, random, directory };
}

/** After all of it. */
async function checkEnd({ broker, checks, healthy, lines, pid }: HostileScene): Promise<void> {
  await checks.check('the healthy client lost nothing and never connected anew', () =>
    healthy.stop(),
  );
  await checks.check('the broker is the same process, and its memory is bounded', async () => {
    if (broker.pid !== pid) throw new Error('it is another process');
    const bytes = (await residentBytes(pid)) ?? 0;
    if (bytes > MAX_RESIDENT_BYTES) throw new Error(`${mebibytes(bytes)} are resident`);
    return `${mebibytes(bytes)} resident, bound ${mebibytes(MAX_RESIDENT_BYTES)}`;
  });
  await checks.check('one log line for each connection that it closed, no error', async () => {
    const more = await lines.settle();
    if (more !== 0) throw new Error(`${more} lines more than connections`);
    const { errors } = lines;
    if (errors.length > 0) {
      throw new Error(`${errors.length} errors, the first: ${JSON.stringify(errors[0])}`);
    }
    return `${lines.closedConnections} lines`;
  });
  await checks.check('it stops cleanly', () => broker.stop());
}
