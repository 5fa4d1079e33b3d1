import { describe, expect, test } from 'vitest';
import {
  type ApiVersionsResponse,
  apiByKey,
  apiVersionsApi,
  decodeRequest,
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  heartbeatApi,
  listOffsetsApi,
  metadataApi,
  produceApi,
  UnencodableValueError,
  UnsupportedVersionError,
} from '../src/index.ts';

const noApis: ApiVersionsResponse = {
  errorCode: 0,
  apiKeys: [],
  throttleTimeMs: 0,
  supportedFeatures: [],
  finalizedFeaturesEpoch: -1,
  finalizedFeatures: [],
  zkMigrationReady: false,
};

function hexOf(frame: { chunks: Buffer[] }): string {
  return Buffer.concat(frame.chunks).toString('hex');
}

describe('request headers', () => {
  test('the correlation id of an unknown API and of an unknown version can be read', () => {
    const unknownApi = Buffer.from('03e7' + '0001' + '7ffffff8' + '0001' + '63', 'hex');
    expect(apiByKey(999)).toBeUndefined();
    expect(decodeRequestHeader(unknownApi)).toEqual({
      apiKey: 999,
      apiVersion: 1,
      correlationId: 2_147_483_640,
      clientId: 'c',
      bodyOffset: 11,
    });
    const version99 = Buffer.from('0012' + '0063' + '00000005' + 'ffff' + '00' + '01', 'hex');
    expect(decodeRequestHeader(version99)).toMatchObject({
      apiKey: 18,
      apiVersion: 99,
      correlationId: 5,
      clientId: null,
      bodyOffset: 11,
    });
  });

  test('tagged fields of a flexible header are passed over, and the client id stays classic', () => {
    const frame = Buffer.from(
      '000c' + '0004' + '00000001' + '0002' + '6964' + '01' + '05' + '03' + '010203' + 'ee',
      'hex',
    );
    expect(decodeRequestHeader(frame)).toMatchObject({ clientId: 'id', bodyOffset: 18 });
  });

  test('negative keys and versions are no crash', () => {
    const frame = Buffer.from('ffff' + 'ffff' + 'ffffffff' + 'ffff', 'hex');
    expect(decodeRequestHeader(frame)).toMatchObject({ apiKey: -1, apiVersion: -1 });
    expect(apiByKey(-1)).toBeUndefined();
  });
});

describe('response headers', () => {
  test('ApiVersions has the plain header in every version', () => {
    expect(hexOf(encodeResponse(apiVersionsApi, 0, 9, noApis))).toBe(
      '0000000a' + '00000009' + '0000' + '00000000',
    );
    expect(hexOf(encodeResponse(apiVersionsApi, 4, 9, noApis))).toBe(
      '0000000c' + '00000009' + '0000' + '01' + '00000000' + '00',
    );
  });

  test('tagged fields of ApiVersions at their defaults are left out, others are written', () => {
    const withEpoch = { ...noApis, finalizedFeaturesEpoch: 7 };
    expect(hexOf(encodeResponse(apiVersionsApi, 3, 1, withEpoch))).toBe(
      '00000016' +
        '00000001' +
        '0000' +
        '01' +
        '00000000' +
        '01' +
        '01' +
        '08' +
        '0000000000000007',
    );
    expect(hexOf(encodeResponse(apiVersionsApi, 2, 1, withEpoch))).toBe(
      '0000000e' + '00000001' + '0000' + '00000000' + '00000000',
    );
  });

  test('other flexible responses have a header with tagged fields', () => {
    const body = { throttleTimeMs: 0, errorCode: 27 };
    expect(hexOf(encodeResponse(heartbeatApi, 3, 1, body))).toBe(
      '0000000a' + '00000001' + '00000000' + '001b',
    );
    const flexible = encodeResponse(heartbeatApi, 4, 1, body);
    expect(hexOf(flexible)).toBe('0000000c' + '00000001' + '00' + '00000000' + '001b' + '00');
    const withTags = Buffer.from('00000001' + '01' + '00' + '01' + 'ff' + '00000000001b00', 'hex');
    expect(decodeResponse(heartbeatApi, 4, withTags)).toEqual({ correlationId: 1, body });
  });

  test('the throttle time stands last in Produce and behind the keys in ApiVersions', () => {
    const produce = { responses: [], throttleTimeMs: 0x0102_0304, nodeEndpoints: [] };
    expect(hexOf(encodeResponse(produceApi, 1, 1, produce))).toMatch(/00000000 *01020304$/);
    expect(hexOf(encodeResponse(produceApi, 0, 1, produce))).toMatch(/0000000100000000$/);
    const versions = { ...noApis, throttleTimeMs: 0x0102_0304 };
    expect(hexOf(encodeResponse(apiVersionsApi, 1, 1, versions))).toMatch(/0000000001020304$/);
  });
});

describe('versions', () => {
  test('a version that is not described is refused in both directions', () => {
    for (const version of [-1, 14, 1.5, Number.NaN]) {
      expect(() => decodeRequest(metadataApi, version, Buffer.alloc(4), 0)).toThrow(
        UnsupportedVersionError,
      );
    }
    expect(() => encodeResponse(heartbeatApi, 5, 1, { throttleTimeMs: 0, errorCode: 0 })).toThrow(
      /HeartbeatResponse is known in versions 0 to 4, not in version 5/,
    );
  });

  test('ListOffsets 11 has the bytes of version 10', () => {
    const request = {
      replicaId: -1,
      isolationLevel: 1,
      topics: [
        {
          name: 't',
          partitions: [
            { partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -6, maxNumOffsets: 1 },
          ],
        },
      ],
      timeoutMs: 30_000,
    };
    const [ten, eleven] = [10, 11].map((version) =>
      hexOf(encodeRequest(listOffsetsApi, { version, correlationId: 1 }, request)),
    );
    expect(eleven).toBe(ten?.replace('0002000a', '0002000b'));
  });
});

describe('values that do not fit', () => {
  test('the error names the field, and the next response is not harmed', () => {
    const broken = {
      ...noApis,
      apiKeys: [
        { apiKey: 1, minVersion: 0, maxVersion: 1 },
        { apiKey: 2, minVersion: 0, maxVersion: 70_000 },
      ],
    };
    expect(() => encodeResponse(apiVersionsApi, 4, 1, broken)).toThrow(UnencodableValueError);
    expect(() => encodeResponse(apiVersionsApi, 4, 1, broken)).toThrow(
      'ApiVersionsResponse v4.apiKeys[1].maxVersion: expected a number in the range of int16, got 70000',
    );
    expect(hexOf(encodeResponse(apiVersionsApi, 0, 9, noApis))).toBe(
      '0000000a' + '00000009' + '0000' + '00000000',
    );
  });

  test('null is refused in versions without null', () => {
    const all = {
      topics: null,
      allowAutoTopicCreation: true,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    };
    const encode = (version: number) =>
      encodeRequest(metadataApi, { version, correlationId: 1 }, all);
    expect(() => encode(0)).toThrow(/MetadataRequest v0.topics: null was given/);
    expect(hexOf(encode(1))).toMatch(/ffffffff$/);
  });
});
