import {
  ErrorCode,
  type OffsetFetchResponse,
  type OffsetFetchResponseGroup,
  offsetFetchApi,
  type TopicPartitionIndexes,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import type { ClientConnection } from '../network/connection.ts';
import { groupErrorCode } from './group-error-code.ts';
import { unlessGone } from './unless-gone.ts';
import { advertisedVersions } from './versions.ts';

/** First version that asks for several groups at once (KIP-709). */
const FIRST_BATCH = 8;
/** First version whose answer has an error of its own; before, it stands at each partition. */
const FIRST_TOP_LEVEL_ERROR = 2;

/** Looks committed offsets up. */
export function offsetFetchHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: offsetFetchApi,
    versions: advertisedVersions(offsetFetchApi),
    async handle(request, { apiVersion, client }): Promise<OffsetFetchResponse | undefined> {
      const asked =
        apiVersion >= FIRST_BATCH
          ? request.groups
          : [{ groupId: request.groupId, topics: request.topics }];
      const lookUp = lookUpWith(coordinator, client);
      const groups = await unlessGone(client, () => Promise.all(asked.map(lookUp)));
      if (groups === undefined) return undefined;
      const first = groups[0];
      const answered = first?.topics ?? [];
      const errorCode = first?.errorCode ?? ErrorCode.NONE;
      const topics =
        apiVersion < FIRST_TOP_LEVEL_ERROR && errorCode !== ErrorCode.NONE
          ? failEverywhere(request.topics ?? [], errorCode)
          : answered;
      return { throttleTimeMs: 0, topics, errorCode, groups };
    },
  });
}

interface Asked {
  readonly groupId: string;
  readonly topics: readonly TopicPartitionIndexes[] | null;
}

function lookUpWith(
  coordinator: GroupCoordinator,
  { gone }: ClientConnection,
): (asked: Asked) => Promise<OffsetFetchResponseGroup> {
  return async ({ groupId, topics }) => {
    const wanted =
      topics?.map(({ name, partitionIndexes }) => ({ name, partitions: partitionIndexes })) ?? null;
    const found = await coordinator.fetchOffsets({ groupId, topics: wanted }, { signal: gone });
    return {
      groupId,
      errorCode: groupErrorCode(found.error),
      topics: found.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ index, offset, leaderEpoch, metadata, error }) => ({
          partitionIndex: index,
          committedOffset: offset,
          committedLeaderEpoch: leaderEpoch,
          metadata,
          errorCode: groupErrorCode(error),
        })),
      })),
    };
  };
}

function failEverywhere(
  topics: readonly TopicPartitionIndexes[],
  errorCode: number,
): OffsetFetchResponse['topics'] {
  return topics.map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: -1,
      committedLeaderEpoch: -1,
      metadata: '',
      errorCode,
    })),
  }));
}
