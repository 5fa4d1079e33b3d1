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
