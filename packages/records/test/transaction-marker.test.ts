import { expect, test } from 'vitest';
import {
  BatchBuilder,
  buildTransactionMarker,
  CONTROL_TYPE,
  createBatchHeader,
  isControl,
  RecordCursor,
  readControlRecord,
  validateBatch,
} from '../src/index.ts';
import { BATCH_TIME, COMMIT_MARKER, reasonOf } from './fixtures.ts';

const MARKER = {
  outcome: 'commit',
  producerId: 7,
  producerEpoch: 1,
  coordinatorEpoch: 9,
  timestamp: BATCH_TIME,
  baseOffset: 100,
  partitionLeaderEpoch: 3,
} as const;

function opened(bytes: Buffer): RecordCursor {
  const cursor = new RecordCursor();
  cursor.open(bytes);
  cursor.next();
  return cursor;
}

test('the commit marker that Kafka accepts is built byte for byte', () => {
  expect(buildTransactionMarker(MARKER)).toEqual(COMMIT_MARKER);
});

test('an abort marker differs in its type, and says what it ends', () => {
  const bytes = buildTransactionMarker({ ...MARKER, outcome: 'abort', coordinatorEpoch: -1 });
  const header = createBatchHeader();
  validateBatch(bytes, 0, bytes.length, header, { origin: 'log' });
  expect(isControl(header)).toBe(true);
  expect(header).toMatchObject({ attributes: 0x30, producerId: 7, baseSequence: -1 });
  expect(readControlRecord(opened(bytes))).toEqual({ type: 0, coordinatorEpoch: -1 });
  expect(readControlRecord(opened(COMMIT_MARKER))).toEqual({
    type: CONTROL_TYPE.commit,
    coordinatorEpoch: 9,
  });
});

test('control records of other types are passed on without an epoch', () => {
  const builder = new BatchBuilder({ isControl: true });
  builder.append({ timestamp: 0, key: Buffer.from([0, 0, 0, 2]), value: 'leader change' });
  const leaderChange = opened(builder.build());
  expect(readControlRecord(leaderChange)).toEqual({ type: 2, coordinatorEpoch: undefined });
});

test('control records that are too short are corrupt', () => {
  for (const [key, value] of [
    [null, Buffer.alloc(6)],
    [Buffer.alloc(3), Buffer.alloc(6)],
    [Buffer.alloc(4), null],
    [Buffer.alloc(4), Buffer.alloc(5)],
  ] as const) {
    const builder = new BatchBuilder({ isControl: true });
    builder.append({ timestamp: 0, key, value });
    const cursor = opened(builder.build());
    expect(reasonOf(() => readControlRecord(cursor))).toBe('record');
  }
});

test('a marker with numbers out of range is refused', () => {
  expect(() => buildTransactionMarker({ ...MARKER, coordinatorEpoch: 2 ** 31 })).toThrow(
    RangeError,
  );
  expect(() => buildTransactionMarker({ ...MARKER, producerEpoch: 40_000 })).toThrow(RangeError);
  const outcome = 'toString' as 'abort';
  expect(() => buildTransactionMarker({ ...MARKER, outcome })).toThrow(RangeError);
});
