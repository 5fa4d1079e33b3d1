import { EmbeddedCodec } from '../schema/embedded-codec.ts';
import { array, bytes, int32, nullable, string } from '../schema/field-builders.ts';
import { type NamedTopicPartitions, namedTopicPartitions } from './shared-structs.ts';

/** What a consumer says about itself in the metadata of JoinGroup. */
export interface ConsumerProtocolSubscription {
  topics: string[];
  userData: Buffer | null;
  ownedPartitions: NamedTopicPartitions[];
  generationId: number;
  rackId: string | null;
}

/** The partitions that a consumer gets through SyncGroup. */
export interface ConsumerProtocolAssignment {
  assignedPartitions: NamedTopicPartitions[];
  userData: Buffer | null;
}

/** The metadata of members whose protocol type is `consumer`. */
export const consumerProtocolSubscription: EmbeddedCodec<ConsumerProtocolSubscription> =
  new EmbeddedCodec<ConsumerProtocolSubscription>('ConsumerProtocolSubscription', 3, {
    topics: array(string()),
    userData: nullable(bytes()),
    ownedPartitions: array(namedTopicPartitions, { from: 1 }),
    generationId: int32({ from: 2, default: -1 }),
    rackId: nullable(string({ from: 3 })),
  });

/** The assignment of members whose protocol type is `consumer`. */
export const consumerProtocolAssignment: EmbeddedCodec<ConsumerProtocolAssignment> =
  new EmbeddedCodec<ConsumerProtocolAssignment>('ConsumerProtocolAssignment', 3, {
    assignedPartitions: array(namedTopicPartitions),
    userData: nullable(bytes()),
  });
