import { join } from 'node:path';
import { type RandomSource, seededRandom } from '@logloft/clock';
import { BrokerProcess } from '../harness/broker-process.ts';
import type { Cleanup } from '../harness/cleanup.ts';
import { createTopic } from '../harness/create-topic.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { tieringProperties } from '../harness/tiering-properties.ts';
import { type ClusterView, viewCluster } from './cluster-view.ts';
import { IdempotentProducer } from './idempotent-producer.ts';
import { Ledger } from './ledger.ts';
import { OffsetCommitter } from './offset-committer.ts';
import { TopicChurn } from './topic-churn.ts';
import type { TopicPartition } from './topic-partition.ts';

/** Everything of it stays. */
export const LEDGER_TOPIC = 'ledger';
/** Of it the oldest records expire, in both tiers. */
export const EXPIRING_TOPIC = 'expiring';

const LEDGER_PARTITIONS = 3;
const PRODUCERS = 4;
const SEGMENT_BYTES = 256 * 1024;
const EXPIRING_BYTES = 2 * 1024 * 1024;

/** A broker under load, with all that is known of what it acknowledged. */
export interface CrashScene {
  readonly broker: BrokerProcess;
  readonly random: RandomSource;
  readonly ledger: Ledger;
  readonly partitions: readonly TopicPartition[];
  readonly producers: IdempotentProducer[];
  readonly committer: OffsetCommitter;
  readonly churn: TopicChurn;
  /** Log start offsets as they were last seen: they never go back. */
  readonly logStarts: Map<string, number>;
  view: ClusterView;
}

/** Where the objects of the remote tier are. */
export function storeDirectory({ broker }: CrashScene): string {
  return join(broker.dataDirectory, 'remote');
}

/** Starts a broker with copying on and small segments, and makes the topics. The load does not run yet. */
export async function openCrashScene(
  cleanup: Cleanup,
  {
    seed,
    properties,
  }: { readonly seed: number; readonly properties: Readonly<Record<string, string>> },
): Promise<CrashScene> {
  const broker = await BrokerProcess.start(
    {
      dataDirectory: join(await temporaryDirectory(cleanup), 'data'),
      properties: tieringProperties({
        'log.segment.bytes': String(SEGMENT_BYTES),
        // By size, not by time: so the active segment stays local, and reads go over the seam of the tiers.
        'log.local.retention.ms': '-2',
        'log.local.retention.bytes': '1',
        ...properties,
      }),
    },
    cleanup,
  );
  const { bootstrap } = broker;
  await createTopic(bootstrap, LEDGER_TOPIC, {
    partitions: LEDGER_PARTITIONS,
    configs: { 'remote.storage.enable': 'true' },
  });
  await createTopic(bootstrap, EXPIRING_TOPIC, {
    configs: { 'remote.storage.enable': 'true', 'retention.bytes': String(EXPIRING_BYTES) },
  });
  const scene: Omit<CrashScene, 'view'> = {
    broker,
    random: seededRandom(seed),
    ledger: new Ledger(),
    partitions: [
      ...Array.from({ length: LEDGER_PARTITIONS }, (_, partition) => ({
        topic: LEDGER_TOPIC,
        partition,
      })),
      { topic: EXPIRING_TOPIC, partition: 0 },
    ],
    producers: [],
    committer: new OffsetCommitter(bootstrap, LEDGER_TOPIC, seededRandom(seed + 1)),
    churn: new TopicChurn(bootstrap, seededRandom(seed + 2)),
    logStarts: new Map(),
  };
  const connection = await KafkaConnection.open(bootstrap);
  const view = await viewCluster(connection).finally(() => connection.close());
  const whole = { ...scene, view };
  while (whole.producers.length < PRODUCERS) whole.producers.push(newProducer(whole));
  cleanup.add(() => stopLoad(whole));
  return whole;
}

/** A producer that has sent nothing so far, and gets an id of its own. */
export function newProducer(
  scene: Pick<CrashScene, 'broker' | 'ledger' | 'partitions' | 'random'>,
): IdempotentProducer {
  return new IdempotentProducer({
    bootstrap: scene.broker.bootstrap,
    partitions: scene.partitions,
    ledger: scene.ledger,
    random: seededRandom(scene.random.nextUint32()),
  });
}

/** Lets the load run. */
export function resumeLoad({ producers, committer, churn }: CrashScene): void {
  for (const producer of producers) producer.resume();
  committer.resume();
  churn.resume();
}

/** Holds the load, what is under way stays under way. */
export async function pauseLoad({ producers, committer, churn }: CrashScene): Promise<void> {
  for (const producer of producers) producer.pause();
  await Promise.all([committer.pause(), churn.pause()]);
}

async function stopLoad({ producers, committer, churn }: CrashScene): Promise<void> {
  await Promise.all([committer.pause(), churn.pause(), ...producers.map((one) => one.stop())]);
}
