import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCheckpoint, parseOffsetCheckpoint } from '../../src/checkpoint-file.ts';
import { LogCorruptError } from '../../src/errors.ts';
import { OffsetIndex } from '../../src/index/offset-index.ts';
import { TimeIndex } from '../../src/index/time-index.ts';
import { TransactionIndex } from '../../src/index/transaction-index.ts';
import { LeaderEpochs } from '../../src/leader-epochs.ts';
import { parsePartitionMetadata } from '../../src/partition-metadata.ts';
import { parseProducerSnapshot } from '../../src/producer/producer-snapshot.ts';
import { testBatch } from '../support/batches.ts';
import { openLog, readAll, settled } from '../support/open-logs.ts';
import { SimulatedFileSystem } from '../support/simulated-file-system.ts';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const text = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom('0', '1', '-1', ' ', '\n', 'topic', '9007199254740993'))
    .map((parts) => parts.join('')),
);

function readsOrRefuses(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(LogCorruptError);
  }
}

describe('files with arbitrary content', () => {
  it('are read, or refused as corrupt', () => {
    fc.assert(
      fc.property(bytes, text, (content, line) => {
        readsOrRefuses(() => new OffsetIndex(5, content).positionAtOrBefore(7));
        readsOrRefuses(() => new TimeIndex(5, content).offsetBefore(7));
        readsOrRefuses(() => new TransactionIndex(content).collect(0, 9));
        readsOrRefuses(() => parseProducerSnapshot(content));
        readsOrRefuses(() => parseCheckpoint(line, 2));
        readsOrRefuses(() => parseOffsetCheckpoint(line));
        readsOrRefuses(() => LeaderEpochs.parse(line));
        readsOrRefuses(() => parsePartitionMetadata(line));
      }),
    );
  });

  it('of a whole directory never keep a log from opening, and what is sound is served', async () => {
    const kinds = ['log', 'index', 'timeindex', 'txnindex', 'snapshot'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(3), bytes), { maxLength: 6 }),
        fc.boolean(),
        text,
        async (files, isClean, epochs) => {
          const fileSystem = new SimulatedFileSystem();
          const store = { directory: '/logs', fileSystem };
          const config = { segmentBytes: testBatch().length * 2 };
          const first = await openLog(store, config);
          for (let i = 0; i < 5; i += 1) first.log.append(testBatch(), { leaderEpoch: 1 });
          await settled(first.manager.close(), first.clock);
          if (!isClean) await fileSystem.remove('/logs/.kafka_cleanshutdown');
          fileSystem.writeFileSync('/logs/topic-0/leader-epoch-checkpoint', Buffer.from(epochs));
          for (const [kind, base, content] of files) {
            const name = `${(base * 2).toString().padStart(20, '0')}.${kind}`;
            fileSystem.writeFileSync(`/logs/topic-0/${name}`, content);
          }
          const { log, clock, manager } = await openLog(store, config);
          const end = log.logEndOffset;
          await settled(readAll(log), clock);
          const { baseOffset, written } = log.append(testBatch(), { leaderEpoch: 2 });
          await settled(written, clock);
          expect(baseOffset).toBe(end);
          await settled(manager.close(), clock);
        },
      ),
      { numRuns: 60 },
    );
  });
});
