import { LogError } from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import type { Topic } from './topic.ts';

/** Why a topic operation was refused: Kafka's error and a sentence for the client. */
export interface TopicRefusal {
  readonly kind: 'refused';
  readonly errorCode: number;
  readonly message: string;
}

/** A topic that was made. */
export interface TopicCreated {
  readonly kind: 'created';
  readonly topic: Topic;
}

/** A topic that passed all checks. */
export interface TopicChecked {
  readonly kind: 'valid';
  readonly partitions: number;
  /** As they are stored. */
  readonly overrides: ReadonlyMap<string, string>;
}

/** A refusal. */
export function refuse(errorCode: number, message: string): TopicRefusal {
  return { kind: 'refused', errorCode, message };
}

/** A refusal for what the file system did not allow. @throws `error` itself when it is another one */
export function refusalOfStorage(error: unknown): TopicRefusal {
  if (error instanceof LogError) return refuse(ErrorCode.KAFKA_STORAGE_ERROR, error.message);
  throw error;
}

/** A refusal for a topic that is not there. */
export function unknownTopic(name: string): TopicRefusal {
  return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic ${name}.`);
}
