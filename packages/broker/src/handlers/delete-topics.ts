import {
  type DeleteTopicsRequestTopic,
  type DeleteTopicsResponse,
  type DeleteTopicsResponseTopic,
  deleteTopicsApi,
  ErrorCode,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { ZERO_UUID } from '../uuid.ts';
import { advertisedVersions } from './versions.ts';

/** First version that names topics one by one, by name or by id. */
const FIRST_NAME_OR_ID = 6;

/** What the handler needs. */
export interface DeleteTopicsServices {
  readonly topics: TopicManager;
  /** `delete.topic.enable`. */
  readonly deletionEnabled: () => boolean;
}

/** Deletes topics; their names are free when the answer leaves. */
export function deleteTopicsHandler(services: DeleteTopicsServices): Handler {
  return defineHandler({
    api: deleteTopicsApi,
    versions: advertisedVersions(deleteTopicsApi),
    async handle(request, { apiVersion }): Promise<DeleteTopicsResponse> {
      const wanted =
        apiVersion >= FIRST_NAME_OR_ID
          ? request.topics
          : request.topicNames.map((name) => ({ name, topicId: ZERO_UUID }));
      const responses: DeleteTopicsResponseTopic[] = [];
      for (const topic of wanted) responses.push(await deleteOne(topic, services));
      return { throttleTimeMs: 0, responses };
    },
  });
}

async function deleteOne(
  { name, topicId }: DeleteTopicsRequestTopic,
  { topics, deletionEnabled }: DeleteTopicsServices,
): Promise<DeleteTopicsResponseTopic> {
  const respond = (errorCode: number, errorMessage: string | null): DeleteTopicsResponseTopic => ({
    name,
    topicId,
    errorCode,
    errorMessage,
  });
  if ((name === null) === (topicId === ZERO_UUID)) {
    return respond(ErrorCode.INVALID_REQUEST, 'Expected either a name or an id of a topic.');
  }
  if (!deletionEnabled()) {
    return respond(ErrorCode.TOPIC_DELETION_DISABLED, 'delete.topic.enable is false.');
  }
  const topic = name === null ? topics.byId(topicId) : topics.byName(name);
  if (topic === undefined) {
    return name === null
      ? respond(ErrorCode.UNKNOWN_TOPIC_ID, `There is no topic with id ${topicId}.`)
      : respond(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `There is no topic ${name}.`);
  }
  if (topic.internal) {
    return respond(
      ErrorCode.INVALID_TOPIC_EXCEPTION,
      `${topic.name} is an internal topic and cannot be deleted.`,
    );
  }
  const refusal = await topics.delete(topic.topicId);
  if (refusal !== undefined) return respond(refusal.errorCode, refusal.message);
  return {
    name: topic.name,
    topicId: topic.topicId,
    errorCode: ErrorCode.NONE,
    errorMessage: null,
  };
}
