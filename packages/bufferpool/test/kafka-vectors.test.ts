import { describe, expect, test } from 'vitest';
import { readScenarios, returnsOwnBuffers, SCENARIO_FILES } from './kafka-scenarios.ts';
import { replay } from './replay.ts';

// Recorded from Apache Kafka's own BufferPool. The counts are asserted so that a scenario which is
// lost, or no longer picked, does not go unnoticed.
const EXPECTED = {
  'single-actor': { rows: 148, kafka: 21, strict: 18 },
  waiters: { rows: 235, kafka: 29, strict: 24 },
  close: { rows: 37, kafka: 6, strict: 6 },
  'allocation-failure': { rows: 33, kafka: 7, strict: 6 },
  'random-immediate': { rows: 2_984, kafka: 120, strict: 98 },
  'random-waiting': { rows: 11_851, kafka: 260, strict: 74 },
} as const;

describe.each(SCENARIO_FILES)('%s', (file) => {
  const scenarios = readScenarios(file);

  const { rows, kafka, strict } = EXPECTED[file];

  test(`all ${rows} rows of ${kafka} recorded scenarios replay under kafka semantics`, async () => {
    expect(scenarios).toHaveLength(kafka);
    expect(scenarios.reduce((sum, { steps }) => sum + steps.length, 0)).toBe(rows);
    for (const scenario of scenarios) await replay(scenario, 'kafka');
  });

  test(`the ${strict} scenarios without overtaking, whose buffers come back as they were, replay under strict semantics`, async () => {
    const fit = scenarios.filter(
      (s) => s.newcomerOvertakesWaiters !== true && returnsOwnBuffers(s),
    );
    expect(fit).toHaveLength(strict);
    for (const scenario of fit) await replay(scenario, 'strict');
  });
});
