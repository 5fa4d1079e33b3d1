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

/** A refusal. */
export function refuse(errorCode: number, message: string): TopicRefusal {
  return { kind: 'refused', errorCode, message };
}
