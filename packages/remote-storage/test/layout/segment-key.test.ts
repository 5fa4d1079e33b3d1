import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSegmentKey, segmentKeys, segmentMainPath } from '../../src/layout/segment-key.ts';
import { MAIN_PATH, SEGMENT } from '../segment-fixture.ts';

test('the keys are those of the layout of Aiven', () => {
  expect(segmentMainPath(SEGMENT)).toBe(MAIN_PATH);
  expect(segmentKeys('pfx/', MAIN_PATH)).toEqual({
    log: `pfx/${MAIN_PATH}.log`,
    indexes: `pfx/${MAIN_PATH}.indexes`,
    manifest: `pfx/${MAIN_PATH}.rsm-manifest`,
  });
});

const uuid = fc.stringMatching(/^[a-zA-Z0-9_-]{22}$/);
const topic = fc.stringMatching(/^[a-zA-Z0-9._-]{1,249}$/).filter((name) => !/^\.\.?$/.test(name));

test('what a key was made of is read from it again', () => {
  fc.assert(
    fc.property(
      fc.record({ topic, topicId: uuid, partition: fc.nat() }),
      uuid,
      fc.maxSafeNat(),
      fc.constantFrom('', 'a/', 'prefix-without-slash', 'x/y/z/'),
      (topicIdPartition, id, startOffset, prefix) => {
        const segmentId = { topicIdPartition, id };
        const path = segmentMainPath({ remoteLogSegmentId: segmentId, startOffset });
        const { log } = segmentKeys(prefix, path);
        expect(parseSegmentKey(prefix, log)).toEqual({ segmentId, startOffset, suffix: 'log' });
      },
    ),
  );
});

test.each([
  '',
  'readme.txt',
  `${MAIN_PATH}`,
  `${MAIN_PATH}.tmp`,
  `x/${MAIN_PATH}.log`,
  `${MAIN_PATH}.log/x`,
])('the foreign key "%s" is none of the layout', (key) => {
  expect(parseSegmentKey('', key)).toBeUndefined();
  expect(parseSegmentKey('other/', key)).toBeUndefined();
});

test.each([
  ['topic with a slash', { topic: 'a/b' }],
  ['topic that climbs', { topic: '..' }],
  ['topic of no letters', { topic: '' }],
  ['topic of 250 letters', { topic: 't'.repeat(250) }],
  ['topic id that is none', { topicId: 'short' }],
  ['negative partition', { partition: -1 }],
  ['partition that is no number', { partition: Number.NaN }],
])('a %s makes no key', (_, wrong) => {
  const { topicIdPartition, id } = SEGMENT.remoteLogSegmentId;
  const remoteLogSegmentId = { topicIdPartition: { ...topicIdPartition, ...wrong }, id };
  expect(() => segmentMainPath({ ...SEGMENT, remoteLogSegmentId })).toThrow(
    expect.objectContaining({ kind: 'invalid-configuration' }),
  );
});

test('an offset beyond 2^53 or below 0 makes no key', () => {
  for (const startOffset of [-1, 2 ** 53, 0.5]) {
    expect(() => segmentMainPath({ ...SEGMENT, startOffset })).toThrow(/start offset/);
  }
});
