import type { ObjectStore } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { describeObjectStore } from '../src/index.ts';
import {
  Appends,
  CountsTwice,
  DeafGet,
  DeafPut,
  ExclusiveEnds,
  FlipsABit,
  GreedyDelete,
  GrowingObjects,
  IgnoresCondition,
  KeepsHalves,
  LeaksReaders,
  LeavesListeners,
  ListsByCodeUnit,
  NormalisesKeys,
  NothingBeyondTheEnd,
  PlainErrors,
  RacyCondition,
  SharesBuffers,
  ShortLists,
  SilentTruncation,
  StrictDelete,
  TrustsKeys,
  TrustsTheSource,
  Undead,
  UnpacedPut,
  WrongSizes,
} from './broken-object-stores.ts';
import { type RecordedTest, RecordingRunner } from './recording-runner.ts';
import { ReferenceObjectStore } from './reference-object-store.ts';

function suiteOf(open: () => ObjectStore, caseTimeoutMs?: number): RecordingRunner {
  const runner = new RecordingRunner();
  describeObjectStore(runner, { name: 'store', open: () => ({ store: open() }), caseTimeoutMs });
  return runner;
}

function outcomes(results: readonly RecordedTest[]): string[] {
  return results.map(({ outcome }) => outcome);
}

// Each broken store, and words of the sentence that must turn red for it.
const BROKEN: readonly [new () => ObjectStore, RegExp][] = [
  [GrowingObjects, /nothing of an object is seen before all of it is written/],
  [KeepsHalves, /a source that fails half-way leaves nothing behind/],
  [ExclusiveEnds, /both ends of a range are inclusive/],
  [NothingBeyondTheEnd, /starts at the end or beyond is refused/],
  [StrictDelete, /what is not there counts as deleted/],
  [GreedyDelete, /its neighbours stay/],
  [DeafPut, /a put that is aborted half-way rejects/],
  [DeafGet, /a read that is aborted between two pieces/],
  [SilentTruncation, /read back byte for byte/],
  [TrustsTheSource, /fewer or more bytes than it promised/],
  [LeavesListeners, /calls leave no listener/],
  [PlainErrors, /what is not there is not found/],
  [RacyCondition, /exactly one gets it/],
  [IgnoresCondition, /ifAbsent refuses a key that exists/],
  [ListsByCodeUnit, /byte order of their keys/],
  [ShortLists, /all listed once/],
  [UnpacedPut, /a put asks for every byte before it flows/],
  [Undead, /calls after it are refused/],
  [TrustsKeys, /could lead elsewhere are refused/],
  [Appends, /replaced whole, by a shorter/],
  [LeaksReaders, /uses nothing up/],
  [SharesBuffers, /keys are taken as they are/],
  [WrongSizes, /read back byte for byte/],
  [CountsTwice, /progress adds up/],
  [NormalisesKeys, /keys are taken as they are/],
  [FlipsABit, /read back byte for byte/],
];

// Only these hang; a short time-out for the others would let a slow machine pass for a red case.
const HANGING: readonly unknown[] = [DeafPut];

describe('describeObjectStore', () => {
  test('is green for a store that keeps the contract', async () => {
    const results = await suiteOf(() => new ReferenceObjectStore()).run();
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(results.length).toBeGreaterThan(30);
  });

  test('skips with a reason what a store says it cannot do', async () => {
    const results = await suiteOf(() => new ReferenceObjectStore({ paced: false })).run();
    expect(outcomes(results)).not.toContain('failed');
    const skipped = results.filter(({ outcome }) => outcome === 'skipped');
    expect(skipped.map(({ detail }) => detail)).toContain('the store does not pace');
    expect(skipped.every(({ detail }) => detail.length > 0)).toBe(true);
  });

  test.each(BROKEN.map(([Broken, sentence]) => ({ name: Broken.name, Broken, sentence })))(
    'is red for a store that is broken: $name',
    async ({ Broken, sentence }) => {
      const timeoutMs = HANGING.includes(Broken) ? 500 : undefined;
      const results = await suiteOf(() => new Broken(), timeoutMs).run(sentence);
      expect(outcomes(results)).toEqual(['failed']);
    },
  );
});
