import type { Checks } from '../harness/checks.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { waitTiered } from '../harness/wait-tiered.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type CrashScene, LEDGER_TOPIC, pauseLoad, storeDirectory } from './crash-scene.ts';
import { auditStore, readCatalogue, type StoreAudit } from './store-audit.ts';
import { verifyPartitions } from './verify-scene.ts';

const MIN_SEGMENTS = 3;
const SHOWN = 5;

/** After the last round: what was in doubt is settled, and both tiers are held against each other. */
export async function checkFinalState(scene: CrashScene, checks: Checks): Promise<void> {
  await checks.check('after the last round: every record ever sent is there exactly once', () =>
    drainAndVerify(scene),
  );
  await checks.check('copying catches up once nobody kills the broker', async () => {
    const parts = scene.partitions.filter(({ topic }) => topic === LEDGER_TOPIC);
    const reports = [];
    for (const part of parts) {
      reports.push(await waitTiered(scene.broker, { ...part, minSegments: MIN_SEGMENTS }));
    }
    const segments = reports.reduce((sum, { remoteSegments }) => sum + remoteSegments, 0);
    return `${segments} segments in the store`;
  });
  let audit: StoreAudit | undefined;
  await checks.check('the metadata topic and the store come to rest', async () => {
    audit = await auditAtRest(scene);
    const states = [...audit.states].map(([state, count]) => `${count} ${state}`);
    return `${audit.objects} objects; ${states.join(', ')}`;
  });
  const found = (): StoreAudit => {
    if (audit === undefined) throw new Error('there is no audit');
    return audit;
  };
  await checks.check('every object in the store has metadata', () => {
    assertNone('objects without metadata', found().unknownObjects);
    assertNone('objects of deleted segments', found().undeletedObjects);
  });
  await checks.check('every finished segment has its objects, whole', () =>
    assertNone('incomplete segments', found().incompleteSegments),
  );
  await checks.check('no unfinished file is left in the store', () =>
    assertNone('files that are no objects', found().foreignFiles),
  );
}

async function drainAndVerify(scene: CrashScene): Promise<string> {
  const { broker, ledger, producers, partitions } = scene;
  await pauseLoad(scene);
  await Promise.all(producers.splice(0).map((producer) => producer.drain()));
  ledger.assertNoProblems();
  const connection = await KafkaConnection.open(broker.bootstrap);
  try {
    const verified = await verifyPartitions(scene, connection);
    const records = verified.reduce((sum, one) => sum + one.records, 0);
    const expired = verified.reduce((sum, one) => sum + one.logStartOffset, 0);
    const parts = `${records} records in ${partitions.length} partitions, ${expired} expired`;
    return `${ledger.acknowledgedRecords} acknowledged; ${parts}`;
  } finally {
    connection.close();
  }
}

/** Looks until two looks show the same: catalogue and files cannot be read at one moment. */
async function auditAtRest(scene: CrashScene): Promise<StoreAudit> {
  let last: StoreAudit | undefined;
  let lastText = '';
  await waitUntil(
    'the store to come to rest',
    async () => {
      last = await auditStore(storeDirectory(scene), await readCatalogue(scene.broker.bootstrap));
      const text = JSON.stringify({ ...last, states: [...last.states] });
      const isSame = text === lastText;
      lastText = text;
      return isSame ? undefined : 'something was copied or deleted meanwhile';
    },
    { everyMs: 1200, deadlineMs: 40_000 },
  );
  if (last === undefined) throw new Error('nothing was looked at');
  return last;
}

function assertNone(what: string, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`${found.length} ${what}:\n${found.slice(0, SHOWN).join('\n')}`);
}
