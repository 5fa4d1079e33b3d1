import { BrokerError } from '../errors.ts';
import { REMOTE_LOG_METADATA_TOPIC } from '../tiering/topic-event-log.ts';
import type { Storage } from './open-storage.ts';

/**
 * Makes sure that a broker can do without a remote tier.
 *
 * @throws BrokerError `LOGLOFT_BROKER_OPTIONS` when there are topics whose older data only a remote tier has
 */
export function goWithoutRemoteTier({ topics }: Storage): void {
  const tiered = topics
    .all()
    .filter(({ partitions }) => partitions.some(({ settings }) => settings.tiered))
    .map(({ name }) => name);
  if (tiered.length > 0) {
    throw new BrokerError(
      'LOGLOFT_BROKER_OPTIONS',
      `Expected a remote tier, since topics have data in one (${tiered.slice(0, 5).join(', ')}${tiered.length > 5 ? ', …' : ''}), and got none. ` +
        'Start the broker with it, and delete these topics or set remote.storage.enable=false on them before going without.',
    );
  }
  // Deletions that the remote tier has to take part in wait until there is one again.
  if (topics.byName(REMOTE_LOG_METADATA_TOPIC) === undefined) topics.resumeDeletions();
}
