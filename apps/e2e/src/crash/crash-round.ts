import { randomBelow } from '@logloft/clock';
import { sleep } from '../harness/sleep.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type CrashScene, newProducer, pauseLoad, resumeLoad } from './crash-scene.ts';
import { verifyScene } from './verify-scene.ts';

const MAX_LOAD_MS = 1200;
const MAX_START_MS = 250;
const KILLS_AT_START_IN = 4;
const PRODUCERS_CHANGE_IN = 3;

/**
 * One round: load, `kill -9` at a random moment, restart, everything held against what was
 * acknowledged. One round in four kills the broker once more while it starts.
 *
 * @returns figures for the check's line
 */
export async function runCrashRound(scene: CrashScene): Promise<string> {
  const { broker, ledger, random } = scene;
  const before = ledger.acknowledgedRecords;
  resumeLoad(scene);
  // From the first acknowledgement on, so that every round has some.
  await waitUntil(
    'a first acknowledgement',
    () => (ledger.acknowledgedRecords > before ? undefined : 'nothing acknowledged'),
    { everyMs: 2 },
  );
  const loadMs = randomBelow(random, MAX_LOAD_MS);
  await sleep(loadMs);
  await broker.kill('SIGKILL');
  await pauseLoad(scene);
  const acknowledged = ledger.acknowledgedRecords - before;
  const crashedStarts = await killWhileStarting(scene);
  const restartMs = await broker.restart();
  const { records, bytes, commits, topicsMade } = await verifyScene(scene);
  if (randomBelow(random, PRODUCERS_CHANGE_IN) === 0) await changeProducer(scene);
  return [
    `killed after ${loadMs} ms, ${acknowledged} records acknowledged in it`,
    ...(crashedStarts > 0 ? ['killed again while starting'] : []),
    `ready in ${restartMs.toFixed(0)} ms`,
    `${records} records, ${(bytes / 2 ** 20).toFixed(1)} MiB read`,
    `${commits} commits, ${topicsMade} topics made`,
  ].join('; ');
}

async function killWhileStarting({ broker, random }: CrashScene): Promise<number> {
  if (randomBelow(random, KILLS_AT_START_IN) > 0) return 0;
  const starting = broker.restart().then(
    () => true,
    () => false,
  );
  await sleep(randomBelow(random, MAX_START_MS));
  await broker.kill('SIGKILL');
  await starting;
  return 1;
}

/** One producer goes for good, whatever it had under way; another one with an id of its own comes. */
async function changeProducer(scene: CrashScene): Promise<void> {
  const [oldest] = scene.producers.splice(0, 1);
  await oldest?.stop();
  scene.producers.push(newProducer(scene));
}
