import type { RandomSource } from '@logloft/clock';
import type { BrokerProcess } from '../harness/broker-process.ts';
import type { Checks } from '../harness/checks.ts';
import type { HealthyClient } from './healthy-client.ts';
import type { LogLines } from './log-lines.ts';

/** Nothing that others do may hold an ordinary request up for longer. */
const MAX_HEALTHY_MS = 3000;

/** A broker with a healthy client, and what is done to it. */
export interface HostileScene {
  readonly checks: Checks;
  readonly broker: BrokerProcess;
  readonly pid: number;
  readonly healthy: HealthyClient;
  readonly lines: LogLines;
  readonly random: RandomSource;
  /** A directory of the checks' own; the broker's is in it. */
  readonly directory: string;
}

/**
 * A check that does something to the broker. It passes when that went as it must, and the process is
 * the same, and the healthy client did not notice.
 *
 * @param run does it, and may answer with a text of what it measured
 */
export async function attack(
  scene: HostileScene,
  name: string,
  run: () => Promise<unknown>,
): Promise<void> {
  await scene.checks.check(name, async () => {
    scene.healthy.report();
    const figures = await run();
    if (scene.broker.pid !== scene.pid) throw new Error('the broker is another process');
    const { acknowledged, slowestMs } = scene.healthy.report();
    const health = `healthy client: ${acknowledged} records, slowest ${slowestMs.toFixed(0)} ms`;
    if (slowestMs > MAX_HEALTHY_MS) throw new Error(`${health}; ${String(figures)}`);
    return typeof figures === 'string' ? `${figures}; ${health}` : health;
  });
}
