import { ManualClock, seededRandom } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import {
  InMemoryEventLog,
  type MetadataEventLog,
  RemoteLogManager,
  type RemoteLogManagerOptions,
} from '../../src/index.ts';
import { ModelLog } from './model-log.ts';
import { ModelStore } from './model-store.ts';
import { RecordingLogger } from './recording-logger.ts';

/** What a test may bring along. */
export interface TieredBrokerFacts {
  readonly options?: RemoteLogManagerOptions;
  readonly log?: ModelLog;
  readonly eventLog?: MetadataEventLog;
  readonly clock?: ManualClock;
  readonly store?: ModelStore;
  readonly seed?: number;
  readonly brokerId?: number;
}

/** A remote log manager with a model of everything around it. */
export function tieredBroker(facts: TieredBrokerFacts = {}) {
  const clock = facts.clock ?? new ManualClock();
  const store = facts.store ?? new ModelStore(clock);
  const eventLog = facts.eventLog ?? new InMemoryEventLog();
  const logger = new RecordingLogger();
  const metrics = new MetricsRegistry({ clock });
  const log = facts.log ?? new ModelLog();
  const manager = new RemoteLogManager(
    {
      brokerId: facts.brokerId ?? 1,
      clock,
      random: seededRandom(facts.seed ?? 1),
      logger,
      metrics,
      store,
      eventLog,
    },
    facts.options,
  );
  /** The value of a metric of the broker as a whole. */
  const metric = (name: string, tags = 0): number | undefined => {
    for (const reading of metrics.snapshot()) {
      if (reading.name.name === name && reading.name.tags.size === tags) return reading.value;
    }
    return undefined;
  };
  /** Makes the broker the leader, and lets the first runs happen. */
  const lead = async (): Promise<void> => {
    manager.start();
    await manager.onLeadershipChange({ leaders: [log] });
    await clock.advanceAsync(0);
  };
  return { clock, store, eventLog, logger, metrics, log, manager, metric, lead };
}
