import { type ApiVersionsResponse, apiVersionsApi, ErrorCode } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';

// KIP-511: what a client may call itself.
const SOFTWARE = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;

/**
 * Tells clients which APIs are served in which versions. `handlers` is read at each request, so it
 * may be filled after this handler was made.
 */
export function apiVersionsHandler(handlers: readonly Handler[]): Handler {
  const answer = (errorCode: number): ApiVersionsResponse => ({
    errorCode,
    apiKeys: [...handlers]
      .sort((a, b) => a.api.key - b.api.key)
      .map(({ api, versions }) => ({
        apiKey: api.key,
        minVersion: versions.min,
        maxVersion: versions.max,
      })),
    throttleTimeMs: 0,
    // No feature tags at all: librdkafka before 2.2 stumbles over them.
    supportedFeatures: [],
    finalizedFeaturesEpoch: -1,
    finalizedFeatures: [],
    zkMigrationReady: false,
  });
  return defineHandler({
    api: apiVersionsApi,
    versions: { min: 0, max: 4 },
    handle(request, { apiVersion, client }) {
      const { clientSoftwareName: name, clientSoftwareVersion: version } = request;
      if (apiVersion >= 3) {
        if (!(SOFTWARE.test(name) && SOFTWARE.test(version))) {
          return { ...answer(ErrorCode.INVALID_REQUEST), apiKeys: [] };
        }
        client.software = `${name} ${version}`;
      }
      return answer(ErrorCode.NONE);
    },
  });
}
