/** Segments of this size roll many times in a check, and are written and read in no time. */
export const SEGMENT_BYTES: number = 512 * 1024;

/** How often tasks run in the checks, in ms. */
export const TASK_INTERVAL_MS = 500;

/**
 * Small segments that are copied at once, and leave the local disk as soon as they are safe.
 *
 * @param more wins over them
 */
export function tieringProperties(
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    'log.segment.bytes': String(SEGMENT_BYTES),
    'log.local.retention.ms': '0',
    'log.retention.check.interval.ms': String(TASK_INTERVAL_MS),
    'log.segment.delete.delay.ms': '1000',
    'remote.log.manager.task.interval.ms': String(TASK_INTERVAL_MS),
    ...more,
  };
}
