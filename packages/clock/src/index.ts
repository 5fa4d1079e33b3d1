export type { Clock, Timer } from './clock.ts';
export { MAX_TIMER_MS } from './clock.ts';
export type { ManualClockOptions } from './manual-clock.ts';
export { ManualClock } from './manual-clock.ts';
export type { RandomSource } from './random.ts';
export { randomBelow, seededRandom, systemRandom } from './random.ts';
export { systemClock } from './system-clock.ts';
