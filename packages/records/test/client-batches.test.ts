import { expect, test } from 'vitest';
import { createBatchHeader, readRecords, validateBatch } from '../src/index.ts';
import { readVectors, reasonOf } from './fixtures.ts';

interface ClientBatch {
  readonly client: string;
  readonly produceVersion: number;
  readonly hex: string;
  readonly records:
    | null
    | {
        readonly key: string | null;
        readonly value: string | null;
        readonly headers: readonly (readonly [string, string | null])[];
      }[];
}

const BATCHES = readVectors<ClientBatch[]>('client-batches');

test('the vectors are of seven clients', () => {
  expect(new Set(BATCHES.map(({ client }) => client.split(' ')[0])).size).toBeGreaterThanOrEqual(6);
  expect(BATCHES.length).toBeGreaterThan(15);
});

test.each(BATCHES.filter(({ records }) => records !== null))(
  'the batch that $client sent passes, and its records are read: $hex',
  ({ hex, records }) => {
    const bytes = Buffer.from(hex, 'hex');
    const header = createBatchHeader();
    validateBatch(bytes, 0, bytes.length, header);
    const read = [...readRecords(bytes)].map(({ key, value, headers }) => ({
      key: key?.toString() ?? null,
      value: value?.toString() ?? null,
      headers: headers.map((each) => [each.key, each.value?.toString() ?? null]),
    }));
    expect(read).toEqual(records);
  },
);

test.each(BATCHES.filter(({ records }) => records === null))(
  'the message set that $client sent with Produce v$produceVersion is refused as a legacy one',
  ({ hex }) => {
    const bytes = Buffer.from(hex, 'hex');
    const check = () => validateBatch(bytes, 0, bytes.length, createBatchHeader());
    expect(reasonOf(check)).toBe('legacy-magic');
  },
);
