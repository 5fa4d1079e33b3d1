import { BrokerProcess } from '../harness/broker-process.ts';
import { createTopic } from '../harness/create-topic.ts';
import { produceBytes } from '../harness/produce-bytes.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import { StoreMeter } from '../harness/store-meter.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { tieringProperties } from '../harness/tiering-properties.ts';

/** Bytes of a segment in these checks, and with it of one step of a quota. */
export const SEGMENT_BYTES: number = 256 * 1024;

/** A broker whose store is metered. */
export interface MeteredBroker {
  readonly broker: BrokerProcess;
  readonly meter: StoreMeter;
}

/** Starts one in a directory of its own. */
export async function startMetered(
  { cleanup }: CheckRun,
  properties: Readonly<Record<string, string>>,
): Promise<MeteredBroker> {
  const dataDirectory = await temporaryDirectory(cleanup);
  const meter = new StoreMeter(dataDirectory);
  const broker = await BrokerProcess.start(
    {
      dataDirectory,
      remoteStorage: meter.plugin,
      properties: tieringProperties({
        'log.segment.bytes': String(SEGMENT_BYTES),
        ...meter.properties,
        ...properties,
      }),
    },
    cleanup,
  );
  return { broker, meter };
}

/** Makes a tiered topic and fills it, so that there is much to copy. */
export async function makeBacklog(
  { broker }: MeteredBroker,
  {
    topic,
    partitions,
    bytes,
  }: {
    readonly topic: string;
    readonly partitions: number;
    /** In all. */
    readonly bytes: number;
  },
): Promise<void> {
  await createTopic(broker.bootstrap, topic, {
    partitions,
    configs: { 'remote.storage.enable': 'true' },
  });
  await produceBytes(broker.bootstrap, { topic, partitions, bytes: bytes / partitions });
}
