import { apiVersionsApi } from './messages/api-versions.ts';
import { createTopicsApi } from './messages/create-topics.ts';
import { fetchApi } from './messages/fetch.ts';
import { findCoordinatorApi } from './messages/find-coordinator.ts';
import { heartbeatApi } from './messages/heartbeat.ts';
import { initProducerIdApi } from './messages/init-producer-id.ts';
import { joinGroupApi } from './messages/join-group.ts';
import { leaveGroupApi } from './messages/leave-group.ts';
import { listOffsetsApi } from './messages/list-offsets.ts';
import { metadataApi } from './messages/metadata.ts';
import { offsetCommitApi } from './messages/offset-commit.ts';
import { offsetFetchApi } from './messages/offset-fetch.ts';
import { produceApi } from './messages/produce.ts';
import { syncGroupApi } from './messages/sync-group.ts';
import type { ApiDescription } from './schema/api.ts';

/** All APIs of this package, by ascending key. */
export const APIS: readonly ApiDescription[] = [
  produceApi,
  fetchApi,
  listOffsetsApi,
  metadataApi,
  offsetCommitApi,
  offsetFetchApi,
  findCoordinatorApi,
  joinGroupApi,
  heartbeatApi,
  leaveGroupApi,
  syncGroupApi,
  apiVersionsApi,
  createTopicsApi,
  initProducerIdApi,
];

const byKey: readonly (ApiDescription | undefined)[] = Array.from(
  { length: Math.max(...APIS.map((api) => api.key)) + 1 },
  (_, key) => APIS.find((api) => api.key === key),
);

/** The API with this key, or undefined when this package does not have it. */
export function apiByKey(key: number): ApiDescription | undefined {
  return byKey[key];
}
