import { parseArgs } from 'node:util';
import { systemRandom } from '@logloft/clock';
import { type CheckRun, runChecks } from '../harness/run-checks.ts';
import { runCrashRound } from './crash-round.ts';
import { openCrashScene } from './crash-scene.ts';
import { checkFinalState } from './final-checks.ts';

const { values } = parseArgs({
  options: {
    /** Replays the choices of a run; the moments of the operating system are its own. */
    seed: { type: 'string' },
    rounds: { type: 'string', default: '30' },
    'flush-rounds': { type: 'string', default: '8' },
  },
});
const seed = values.seed === undefined ? systemRandom.nextUint32() : Number(values.seed);

/** Broker properties under which it is killed, and how often. */
interface Variant {
  readonly name: string;
  readonly rounds: number;
  readonly properties: Readonly<Record<string, string>>;
}

const VARIANTS: readonly Variant[] = [
  { name: 'default flush policy', rounds: Number(values.rounds), properties: {} },
  {
    name: 'flush.messages=1',
    rounds: Number(values['flush-rounds']),
    properties: { 'log.flush.interval.messages': '1' },
  },
];

await runChecks('e2e:crash: kill -9 under load with copying on', async (run) => {
  run.checks.note(`seed ${seed}; to replay its choices: npm run -s e2e:crash -- --seed ${seed}`);
  for (const variant of VARIANTS) {
    if (variant.rounds > 0) await checkVariant(run, variant);
  }
});

async function checkVariant({ checks, cleanup }: CheckRun, variant: Variant): Promise<void> {
  const { name, rounds, properties } = variant;
  const scene = await openCrashScene(cleanup, { seed, properties });
  for (let round = 1; round <= rounds; round += 1) {
    const title = `${name}, round ${round}: all that was acknowledged is there after kill -9`;
    // What is wrong once stays wrong: more rounds would only say it again.
    if (!(await checks.check(title, () => runCrashRound(scene)))) return;
  }
  await checkFinalState(scene, checks);
  await checks.check(`${name}: the broker logged no error`, () => {
    const errors = scene.broker.log.filter(({ level }) => level === 'error');
    if (errors.length > 0) throw new Error(errors.map((line) => JSON.stringify(line)).join('\n'));
    return `${scene.broker.log.filter(({ level }) => level === 'warn').length} warnings`;
  });
  await checks.check(`${name}: it stops cleanly`, () => scene.broker.stop());
}
