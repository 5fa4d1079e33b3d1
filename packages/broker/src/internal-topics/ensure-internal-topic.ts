import { BrokerError } from '../errors.ts';
import type { Topic } from '../topics/topic.ts';
import type { TopicInput, TopicManager } from '../topics/topic-manager.ts';

/**
 * Finds an internal topic, or makes it.
 *
 * @throws BrokerError `LOGLOFT_BROKER_TOPIC` when it cannot be made
 */
export async function ensureInternalTopic(
  topics: TopicManager,
  input: Omit<TopicInput, 'internal' | 'validateOnly'>,
): Promise<Topic> {
  const known = topics.byName(input.name);
  if (known !== undefined) return known;
  const made = await topics.create({ ...input, internal: true });
  if (made.kind === 'created') return made.topic;
  const reason = made.kind === 'refused' ? made.message : 'it was only checked';
  throw new BrokerError('LOGLOFT_BROKER_TOPIC', `Cannot make the topic ${input.name}: ${reason}`);
}
