import { describe, expect, test } from 'vitest';
import { readScenarios, returnsOwnBuffers, SCENARIO_FILES } from './kafka-scenarios.ts';
import { replay } from './replay.ts';

// Recorded from Apache Kafka's own BufferPool. The counts are asserted so that a scenario which is
// lost, or no longer picked, does not go unnoticed.
const EXPECTED = {
  'single-actor': { kafka: 21, strict: 18 },
  waiters: { kafka: 29, strict: 24 },
  close: { kafka: 6, strict: 6 },
  'allocation-failure': { kafka: 7, strict: 6 },
  'random-immediate': { kafka: 120, strict: 98 },
  'random-waiting': { kafka: 260, strict: 74 },
} as const;

describe.each(SCENARIO_FILES)('%s', (file) => {
  const scenarios = readScenarios(file);

  test('every recorded scenario replays under kafka semantics', async () => {
    expect(scenarios).toHaveLength(EXPECTED[file].kafka);
    for (const scenario of scenarios) await replay(scenario, 'kafka');
  });

  test('every scenario without overtaking, whose buffers come back as they were, replays under strict semantics', async () => {
    const fit = scenarios.filter(
      (s) => s.newcomerOvertakesWaiters !== true && returnsOwnBuffers(s),
    );
    expect(fit).toHaveLength(EXPECTED[file].strict);
    for (const scenario of fit) await replay(scenario, 'strict');
  });
});
