/** The unit of time that a rate is given per. */
export type TimeUnit =
  | 'nanoseconds'
  | 'microseconds'
  | 'milliseconds'
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'days';

/** `ms` milliseconds in `unit`, with fractions. */
export function millisecondsIn(unit: TimeUnit, ms: number): number {
  switch (unit) {
    case 'nanoseconds':
      return ms * 1000 * 1000;
    case 'microseconds':
      return ms * 1000;
    case 'milliseconds':
      return ms;
    case 'seconds':
      return ms / 1000;
    case 'minutes':
      return ms / 60_000;
    case 'hours':
      return ms / 3_600_000;
    case 'days':
      return ms / 86_400_000;
  }
}

const LENGTH_MS: Readonly<Record<TimeUnit, number>> = {
  nanoseconds: 1e-6,
  microseconds: 1e-3,
  milliseconds: 1,
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** How many ms one `unit` has. */
export function lengthMs(unit: TimeUnit): number {
  return LENGTH_MS[unit];
}
