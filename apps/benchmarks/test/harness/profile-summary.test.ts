import { expect, test } from 'vitest';
import { type CpuProfile, summarizeProfile } from '../../src/harness/profile-summary.ts';

interface Frame {
  readonly id: number;
  readonly name: string;
  readonly url?: string;
  readonly children?: readonly number[];
}

function profileOf(frames: readonly Frame[], samples: readonly number[]): CpuProfile {
  return {
    nodes: frames.map(({ id, name, url = '', children = [] }) => ({
      id,
      callFrame: { functionName: name, url, lineNumber: 9 },
      children,
    })),
    samples,
    // The first delta leads to the first sample; each later one is the time of the sample before it.
    timeDeltas: [7, ...samples.map(() => 100)],
  };
}

const frames: readonly Frame[] = [
  { id: 1, name: '(root)', children: [2, 5] },
  { id: 2, name: 'append', url: 'file:///x/packages/log/dist/append.js', children: [3] },
  { id: 3, name: 'writev', url: 'node:fs', children: [4] },
  { id: 4, name: 'writeBuffers' },
  { id: 5, name: '(idle)' },
];

test('idle time is not busy time', () => {
  const summary = summarizeProfile(profileOf(frames, [5, 5, 5, 2]));
  expect(summary.busyShare).toBeCloseTo(0.25);
  expect(summary.busyMs).toBeCloseTo(0.1);
});

test('native time is told with the nearest function of ours that caused it', () => {
  const [first] = summarizeProfile(profileOf(frames, [4, 4, 4, 2])).self;
  expect(first).toEqual({ name: 'writeBuffers < append log/append.js:10', share: 0.75 });
});

test('the total of a function holds what it called', () => {
  const { total } = summarizeProfile(profileOf(frames, [4, 3, 2, 2]));
  expect(total).toEqual([{ name: 'append log/append.js:10', share: 1 }]);
});

test('a function that calls itself is counted once', () => {
  const recursive: readonly Frame[] = [
    { id: 1, name: '(root)', children: [2] },
    { id: 2, name: 'walk', url: 'file:///x/packages/log/dist/a.js', children: [3] },
    { id: 3, name: 'walk', url: 'file:///x/packages/log/dist/a.js' },
  ];
  expect(summarizeProfile(profileOf(recursive, [3, 3])).total[0]?.share).toBeCloseTo(1);
});

test('time is summed by package, by part of Node and by native function', () => {
  const { areas } = summarizeProfile(profileOf(frames, [2, 3, 4, 4]));
  expect(areas.map(({ name }) => name)).toEqual([
    'native writeBuffers',
    'log',
    'node (JavaScript)',
  ]);
});
