/** What a process has used. */
export interface Usage {
  /** CPU time since its start, user and system, in microseconds. */
  readonly userMicros: number;
  readonly systemMicros: number;
  /** Memory in use now and at most, in bytes. */
  readonly rssBytes: number;
  readonly peakRssBytes: number;
}

/** What this process has used. */
export function ownUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return {
    userMicros: user,
    systemMicros: system,
    rssBytes: process.memoryUsage.rss(),
    // In KiB, whatever the documentation of other systems says.
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
  };
}

/** CPU time between two looks, in microseconds. */
export function cpuMicrosBetween(before: Usage, after: Usage): number {
  return after.userMicros + after.systemMicros - before.userMicros - before.systemMicros;
}
