import { join } from 'node:path';
import type { BrokerProcess } from './broker-process.ts';
import { type SpecialOffsets, specialOffsets } from './special-offsets.ts';
import { bytesOf, filesBelow } from './tier-files.ts';
import { waitUntil } from './wait-until.ts';

/** How a partition lies in its two tiers. */
export interface TierReport {
  readonly offsets: SpecialOffsets;
  readonly remoteSegments: number;
  readonly remoteBytes: number;
  readonly localSegments: number;
  readonly localBytes: number;
  readonly waitedMs: number;
}

/**
 * Waits until all segments of a partition but the active one are in the remote tier and gone from the
 * local disk: by what the broker answers, and by what lies in its directories.
 *
 * @param minSegments how many segments there must be in the store at least
 */
export async function waitTiered(
  broker: BrokerProcess,
  {
    topic,
    partition = 0,
    minSegments,
  }: {
    readonly topic: string;
    readonly partition?: number;
    readonly minSegments: number;
  },
): Promise<TierReport> {
  const look = async (): Promise<Omit<TierReport, 'waitedMs'>> => {
    const local = await filesBelow(broker.partitionDirectory(topic, partition), '.log');
    const deleted = await filesBelow(broker.partitionDirectory(topic, partition), '.log.deleted');
    const remote = await filesBelow(join(broker.dataDirectory, 'remote'), '.log');
    const inPartition = remote.filter(({ path }) => isOf(path, topic, partition));
    return {
      offsets: await specialOffsets(broker.bootstrap, topic, partition),
      remoteSegments: inPartition.length,
      remoteBytes: bytesOf(inPartition),
      localSegments: local.length + deleted.length,
      localBytes: bytesOf(local) + bytesOf(deleted),
    };
  };
  let report = await look();
  const waitedMs = await waitUntil(
    `${topic}-${partition} to be tiered`,
    async () => {
      report = await look();
      const { offsets, remoteSegments, localSegments } = report;
      const isTiered =
        localSegments === 1 &&
        remoteSegments >= minSegments &&
        offsets.earliestLocal === offsets.latestTiered + 1;
      return isTiered ? undefined : JSON.stringify(report);
    },
    { deadlineMs: 60_000, everyMs: 200 },
  );
  return { ...report, waitedMs };
}

/** Keys have the topic's id behind its name: `topic-id/partition/…`. */
function isOf(path: string, topic: string, partition: number): boolean {
  const parts = path.split('/');
  const directory = parts.at(-3) ?? '';
  return directory.startsWith(`${topic}-`) && parts.at(-2) === String(partition);
}
