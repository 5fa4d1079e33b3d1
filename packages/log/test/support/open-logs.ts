import { ManualClock, seededRandom } from '@logloft/clock';
import {
  type LogConfigInput,
  LogManager,
  type LogManagerConfigInput,
  type LogStore,
  type PartitionLog,
} from '../../src/index.ts';

export const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

export interface OpenLogs {
  readonly manager: LogManager;
  readonly log: PartitionLog;
  readonly clock: ManualClock;
}

/** Opens a manager with one log, `topic-0`, made where it is not there. */
export async function openLog(
  store: LogStore,
  config: LogConfigInput = {},
  options: { readonly clock?: ManualClock; readonly manager?: LogManagerConfigInput } = {},
): Promise<OpenLogs> {
  const clock = options.clock ?? new ManualClock();
  const manager = await settled(
    LogManager.open(
      store,
      { defaults: config, ...options.manager },
      { clock, random: seededRandom(1) },
    ),
    clock,
  );
  const log = manager.get('topic', 0) ?? manager.create('topic', 0, TOPIC_ID);
  return { manager, log, clock };
}

/** Awaits what needs turns of a manual clock. */
export async function settled<T>(work: Promise<T>, clock: ManualClock): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  for (let turn = 0; !isDone && turn < 10_000; turn += 1) await clock.advanceAsync(0);
  return done;
}

/** Everything from an offset on, over all segments. */
export async function readAll(log: PartitionLog, from = log.localLogStartOffset): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset = from; ; ) {
    const result = log.read(offset, { maxBytes: 1e6, minOneBatch: true, limit: 'log-end' });
    if (result.kind !== 'slice') throw new Error(`Reading ${offset} gave ${result.kind}`);
    const { slice } = result;
    try {
      const target = Buffer.alloc(slice.sizeInBytes);
      const read = slice.isHot ? slice.readInto(target) : await slice.readIntoAsync(target);
      if (read === 0) return Buffer.concat(parts);
      parts.push(target.subarray(0, read));
      offset = slice.nextOffset ?? offset;
    } finally {
      slice.release();
    }
  }
}
