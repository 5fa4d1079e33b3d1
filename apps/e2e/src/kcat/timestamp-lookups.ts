import type { TierReport } from '../harness/wait-tiered.ts';
import { type KcatScene, kcat } from './scene.ts';

/** Which partition is asked about. */
export interface LookupTarget {
  readonly topic: string;
  readonly codec: string;
  readonly report: TierReport;
}

interface Query {
  readonly where: string;
  readonly timestamp: number;
}

/** Asks for offsets by time in both tiers, and compares with the times that a consumer is given. */
export async function checkTimestampLookups(
  scene: KcatScene,
  { topic, codec, report }: LookupTarget,
): Promise<void> {
  await scene.checks.check(`${codec}: kcat -Q finds offsets by time in both tiers`, async () => {
    const timestamps = await consumedTimestamps(scene, topic);
    const queries = queriesFor(timestamps, report.offsets.earliestLocal);
    const wrong: string[] = [];
    for (const { where, timestamp } of queries) {
      // The first offset whose record is that late; kcat prints -1 where there is none.
      const expected = timestamps.findIndex((one) => one >= timestamp);
      const found = await queryOffset(scene, topic, timestamp);
      if (found !== expected) wrong.push(`${where} (${timestamp}): ${found}, expected ${expected}`);
    }
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return `${queries.length} look-ups over ${timestamps.length} timestamps`;
  });
}

/** The timestamp of each offset, as kcat's consumer tells it. */
async function consumedTimestamps(scene: KcatScene, topic: string): Promise<readonly number[]> {
  const { stdout } = await kcat(scene, [
    '-C',
    '-q',
    '-t',
    topic,
    '-p',
    '0',
    '-o',
    'beginning',
    '-e',
    '-f',
    '%o %T\\n',
  ]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      const [offset, timestamp] = line.split(' ').map(Number);
      if (offset !== index || timestamp === undefined) {
        throw new Error(`expected offset ${index}, kcat printed ${JSON.stringify(line)}`);
      }
      return timestamp;
    });
}

function queriesFor(timestamps: readonly number[], firstLocal: number): readonly Query[] {
  const at = (offset: number): number => {
    const timestamp = timestamps[offset];
    if (timestamp === undefined) throw new Error(`no record was consumed at offset ${offset}`);
    return timestamp;
  };
  const last = timestamps.length - 1;
  const inLocal = firstLocal + Math.floor((last - firstLocal) / 2);
  return [
    { where: 'before all', timestamp: at(0) - 1 },
    { where: 'first record', timestamp: at(0) },
    { where: 'in the remote tier', timestamp: at(Math.floor(firstLocal / 4)) },
    { where: 'in the remote tier, past the middle', timestamp: at(Math.floor(firstLocal / 1.5)) },
    { where: 'last remote record', timestamp: at(firstLocal - 1) },
    { where: 'just after the last remote record', timestamp: at(firstLocal - 1) + 1 },
    { where: 'first local record', timestamp: at(Math.min(firstLocal, last)) },
    { where: 'in the local tier', timestamp: at(Math.min(inLocal, last)) },
    { where: 'last record', timestamp: at(last) },
    { where: 'after all', timestamp: at(last) + 1 },
  ];
}

async function queryOffset(scene: KcatScene, topic: string, timestamp: number): Promise<number> {
  const { stdout } = await kcat(scene, ['-Q', '-t', `${topic}:0:${timestamp}`]);
  const offset = /offset (-?\d+)/.exec(stdout)?.[1];
  if (offset === undefined) throw new Error(`kcat -Q printed ${JSON.stringify(stdout)}`);
  return Number(offset);
}
