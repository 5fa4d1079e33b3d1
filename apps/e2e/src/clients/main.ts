import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrokerProcess } from '../harness/broker-process.ts';
import { type CheckRun, runChecks } from '../harness/run-checks.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { writeTextLines } from '../harness/text-lines.ts';
import { tieringProperties } from '../harness/tiering-properties.ts';
import type { Client } from './client.ts';
import { checkGroupRebalance } from './group-rebalance.ts';
import { checkGroupRestart } from './group-restart.ts';
import { checkIdempotence } from './idempotence.ts';
import { checkKafkajsAdmin } from './kafkajs-admin.ts';
import { KafkajsClient } from './kafkajs-client.ts';
import { checkPlatformaticAdmin } from './platformatic-admin.ts';
import { PlatformaticClient } from './platformatic-client.ts';
import { checkPython } from './python.ts';
import { checkRoundTrip } from './round-trip.ts';
import type { ClientScene } from './scene.ts';

const LINES = 200_000;

// kafkajs hands negative times to timers, of which Node warns at every one.
process.removeAllListeners('warning');

await runChecks('e2e:clients: kafkajs, @platformatic/kafka, confluent-kafka', async (run) => {
  const directory = await temporaryDirectory(run.cleanup);
  const input = join(directory, 'lines.txt');
  await writeTextLines(input, LINES);
  const text = await readFile(input, 'utf8');
  const lines = text.slice(0, -1).split('\n');
  const broker = await BrokerProcess.start(
    { dataDirectory: join(directory, 'data'), properties: tieringProperties() },
    run.cleanup,
  );
  const base = { ...run, broker, lines };
  await checkClient({
    ...base,
    client: opened(run, new KafkajsClient(broker.bootstrap)),
    prefix: 'kjs',
  });
  await checkKafkajsAdmin(run, broker);
  const platformatic = opened(run, new PlatformaticClient(broker.bootstrap));
  await checkClient({ ...base, client: platformatic, prefix: 'plt' });
  await checkPlatformaticAdmin(run, broker);
  await checkPython(run, broker);
  await run.checks.check('the broker logged no warning and no error', () => {
    const grave = broker.log.filter(({ level }) => level === 'warn' || level === 'error');
    if (grave.length > 0) throw new Error(grave.map((line) => JSON.stringify(line)).join('\n'));
    return `${broker.log.length} lines`;
  });
  await broker.stop();
});

function opened<C extends Client>({ cleanup }: CheckRun, client: C): C {
  cleanup.add(() => client.close());
  return client;
}

async function checkClient(scene: ClientScene): Promise<void> {
  for (const codec of scene.client.codecs) await checkRoundTrip(scene, codec);
  await checkIdempotence(scene);
  await checkGroupRebalance(scene);
  await checkGroupRestart(scene);
}
