import { quantile } from './stats.ts';

/** From this spread of a fixed loop on, what is measured says little. */
const NOISY_FROM = 1.25;

/** How evenly this machine runs right now: p90 over median of the time of a fixed loop. */
export function machineNoise(): number {
  const times: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    const start = performance.now();
    let x = round;
    for (let i = 0; i < 2_000_000; i += 1) x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
    times.push(performance.now() - start + (x === 0 ? 1e-9 : 0));
  }
  times.sort((a, b) => a - b);
  return quantile(times, 0.9) / quantile(times, 0.5);
}

/** A sentence for the top of the report. */
export function describeNoise(noise: number): string {
  const spread = noise.toFixed(2);
  return noise > NOISY_FROM
    ? `machine: NOISY (a fixed loop shows p90/median ${spread}): trust ratios only, and those little`
    : `machine: quiet enough (a fixed loop shows p90/median ${spread})`;
}
