import { LogCorruptError } from './errors.ts';

/** The file in a partition's directory that says which topic it belongs to. */
export const PARTITION_METADATA_FILE = 'partition.metadata';

const TOPIC_ID = /^[A-Za-z0-9_-]{22}$/;

/** Whether it is a topic id as Kafka prints it: 22 characters of base64url. */
export function isTopicId(topicId: string): boolean {
  return TOPIC_ID.test(topicId);
}

/** The text of `partition.metadata`. */
export function printPartitionMetadata(topicId: string): string {
  return `version: 0\ntopic_id: ${topicId}`;
}

/**
 * The topic id out of a `partition.metadata`.
 *
 * @throws LogCorruptError when it is not version 0 with a topic id
 */
export function parsePartitionMetadata(text: string): string {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const topicId = fields.get('topic_id');
  if (fields.get('version') !== '0' || topicId === undefined || !isTopicId(topicId)) {
    throw new LogCorruptError(
      `Expected "version: 0" and a topic_id of 22 characters in ${PARTITION_METADATA_FILE}, found ${JSON.stringify(text.slice(0, 100))}`,
    );
  }
  return topicId;
}
