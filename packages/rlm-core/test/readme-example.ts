import { systemClock, systemRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import type { PluginLogger, RemoteStorageManager } from '@logloft/remote-storage';
import { InMemoryEventLog, type PartitionLogView, RemoteLogManager } from '@logloft/rlm-core';

export async function tier(
  log: PartitionLogView,
  store: RemoteStorageManager,
  logger: PluginLogger,
): Promise<Buffer | undefined> {
  const manager = new RemoteLogManager(
    {
      brokerId: 1,
      clock: systemClock,
      random: systemRandom,
      logger,
      metrics: new MetricsRegistry({ clock: systemClock }),
      store,
      eventLog: new InMemoryEventLog(),
    },
    { taskIntervalMs: 1_000 },
  );
  try {
    manager.start();
    await manager.onLeadershipChange({ leaders: [log] });
    if (log.logStartOffset >= log.localLogStartOffset) return undefined; // Still local.
    const { topicIdPartition, logStartOffset: offset } = log;
    const answer = await manager.fetch(topicIdPartition, { offset, maxBytes: 1_048_576 });
    return answer.throttled ? undefined : answer.records;
  } finally {
    await manager.close();
  }
}
