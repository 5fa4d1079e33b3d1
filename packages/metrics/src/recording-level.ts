import { InvalidMetricOptionError } from './errors.ts';

/**
 * How detailed a sensor is. A sensor records only when the level of its configuration is at least
 * as detailed: `INFO` records `INFO` sensors, `DEBUG` also `DEBUG` ones, `TRACE` all.
 */
export type RecordingLevel = 'INFO' | 'DEBUG' | 'TRACE';

const DETAIL: ReadonlyMap<RecordingLevel, number> = new Map([
  ['INFO', 0],
  ['DEBUG', 1],
  ['TRACE', 2],
]);

/** Whether a sensor of level `sensorLevel` records under a configuration of `configLevel`. */
export function levelRecords(configLevel: RecordingLevel, sensorLevel: RecordingLevel): boolean {
  return (DETAIL.get(sensorLevel) ?? 0) <= (DETAIL.get(configLevel) ?? 0);
}

/**
 * The level itself, if it is one.
 *
 * @throws InvalidMetricOptionError when there is no such level
 */
export function checkedLevel(level: RecordingLevel): RecordingLevel {
  if (DETAIL.has(level)) return level;
  throw new InvalidMetricOptionError(
    `A recording level must be INFO, DEBUG or TRACE, got ${String(level)}`,
  );
}
