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

/** Whether `level` is one of the levels there are. */
export function isRecordingLevel(level: string): level is RecordingLevel {
  return level === 'INFO' || level === 'DEBUG' || level === 'TRACE';
}
