import { ManualClock } from '@logloft/clock';
import type { ObjectStore } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { describeObjectStore, FaultyObjectStore, scriptedFaults } from '../src/index.ts';
import {
  Appends,
  CountsTwice,
  DeafGet,
  DeafPut,
  DeletesOneBatch,
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
  UnescapesKeys,
  UnpacedPut,
  WrongSizes,
} from './broken-object-stores.ts';
import {
  FillsUpToTheBound,
  IgnoresThePrefix,
  LeavesUnfinished,
  LosesTheLastPart,
  MixesParts,
  MultipartObjectStore,
  RemovesTheYoung,
  TellsSeconds,
  WantsTheBound,
} from './multipart-object-store.ts';
import { type RecordedTest, RecordingRunner } from './recording-runner.ts';
import { ReferenceObjectStore } from './reference-object-store.ts';

function suiteOf(open: () => ObjectStore, caseTimeoutMs?: number): RecordingRunner {
  const runner = new RecordingRunner();
  describeObjectStore(runner, {
    name: 'store',
    open: () => {
      const store = open();
      return store instanceof MultipartObjectStore
        ? { store, leaveUnfinished: async (key) => store.leaveUnfinished(key) }
        : { store };
    },
    caseTimeoutMs,
    onReport: () => undefined,
  });
  return runner;
}

function outcomes(results: readonly RecordedTest[]): string[] {
  return results.map(({ outcome }) => outcome);
}

// Each broken store, the sentence that must turn red for it, and what is wrong with it where its name says less.
const BROKEN: readonly [new () => ObjectStore, RegExp, fault?: string][] = [
  [
    GrowingObjects,
    /nothing of an object is seen before all of it is written/,
    'non-atomic publish',
  ],
  [KeepsHalves, /a source that fails half-way leaves nothing behind/],
  [ExclusiveEnds, /both ends of a range are inclusive/, 'off-by-one range'],
  [NothingBeyondTheEnd, /starts at the end or beyond is refused/],
  [StrictDelete, /what is not there counts as deleted/, 'delete that throws on missing'],
  [GreedyDelete, /its neighbours stay/],
  [DeafPut, /a put that is aborted half-way rejects/, 'lost abort'],
  [DeafGet, /a read that is aborted between two pieces/],
  [
    SilentTruncation,
    /an object is read back byte for byte, whatever its size/,
    'silent truncation',
  ],
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
  [LeaksReaders, /times uses nothing up/],
  [SharesBuffers, /keys are taken as they are/],
  [WrongSizes, /an object is read back byte for byte, whatever its size/],
  [CountsTwice, /progress adds up to the bytes that flowed$/],
  [NormalisesKeys, /keys are taken as they are/],
  [FlipsABit, /an object is read back byte for byte, whatever its size/],
  [UnescapesKeys, /differ in escapes only/],
  [DeletesOneBatch, /many objects are deleted in one call/],
  [LosesTheLastPart, /a large object is read back byte for byte/],
  [MixesParts, /a large object is read back byte for byte/],
  [FillsUpToTheBound, /stored with exactly the bytes it gives/],
  [WantsTheBound, /stored with exactly the bytes it gives/],
  [TrustsTheSource, /gives more than its bound is refused/],
  [LeavesUnfinished, /a put that was aborted leaves nothing that would have to be removed/],
  [RemovesTheYoung, /leaves objects and writers of now alone/],
  [IgnoresThePrefix, /under the prefix alone/],
  [TellsSeconds, /tells it in ms/],
];

// Only these hang; a short time-out for the others would let a slow machine pass for a red case.
const HANGING: readonly unknown[] = [DeafPut];

// A whole suite may take long on a busy machine; what hangs is found by the suite's own time-out.
const TIMEOUT_MS = 120_000;

describe('describeObjectStore', { timeout: TIMEOUT_MS }, () => {
  test('is green for a store that keeps the contract', async () => {
    const results = await suiteOf(() => new ReferenceObjectStore()).run();
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(results.length).toBeGreaterThan(30);
  });

  test('is green for a store that knows of unfinished objects, without a skip for them', async () => {
    const results = await suiteOf(() => new MultipartObjectStore()).run(/unfinished objects|time/);
    expect(outcomes(results).every((outcome) => outcome === 'passed')).toBe(true);
    expect(results.length).toBeGreaterThan(4);
  });

  test('shows its faulty wrapper as good as the store in it', async () => {
    const open = (): ObjectStore =>
      new FaultyObjectStore(new MultipartObjectStore(), scriptedFaults({}), new ManualClock());
    const results = await suiteOf(open).run();
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });

  test('skips with a reason what a store says it cannot do', async () => {
    const results = await suiteOf(() => new ReferenceObjectStore({ paced: false })).run();
    expect(outcomes(results)).not.toContain('failed');
    const skipped = results.filter(({ outcome }) => outcome === 'skipped');
    expect(skipped.map(({ detail }) => detail)).toContain('the store does not pace');
    expect(skipped.every(({ detail }) => detail.length > 0)).toBe(true);
  });

  test.each(BROKEN.map(([Broken, sentence, fault = Broken.name]) => ({ fault, Broken, sentence })))(
    'is red for a store that is broken: $fault',
    async ({ Broken, sentence }) => {
      const timeoutMs = HANGING.includes(Broken) ? 500 : undefined;
      const results = await suiteOf(() => new Broken(), timeoutMs).run(sentence);
      expect(outcomes(results)).toEqual(['failed']);
    },
  );
});
