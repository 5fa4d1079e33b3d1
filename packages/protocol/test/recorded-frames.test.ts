import { describe, expect, test } from 'vitest';
import {
  type ApiDescription,
  apiByKey,
  decodeRequest,
  decodeRequestHeader,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../src/index.ts';
import { type RecordedFrame, recordedFrames } from './recorded-frames.ts';

const frames = recordedFrames();

function apiOf(frame: RecordedFrame): ApiDescription {
  const api = apiByKey(frame.key);
  if (api === undefined) throw new Error(`${frame.api} is not in the table`);
  return api;
}

/** Compares a decoded value with what the other implementation has written down. */
function matches(actual: unknown, recorded: unknown, path: string): void {
  if (Array.isArray(recorded)) {
    expect(Array.isArray(actual), path).toBe(true);
    const elements = actual as unknown[];
    expect(elements.length, path).toBe(recorded.length);
    for (const [index, element] of recorded.entries()) {
      matches(elements[index], element, `${path}[${index}]`);
    }
    return;
  }
  if (typeof recorded === 'object' && recorded !== null) {
    if (actual === null) {
      // A tagged struct that was left out: null here, a struct of defaults there.
      for (const value of Object.values(recorded)) expect(['-1', -1], path).toContain(value);
      return;
    }
    const fields = actual as Record<string, unknown>;
    for (const [name, value] of Object.entries(recorded)) {
      expect(Object.keys(fields), path).toContain(name);
      matches(fields[name], value, `${path}.${name}`);
    }
    return;
  }
  expect(comparable(actual, recorded), path).toEqual(recorded);
}

function comparable(actual: unknown, recorded: unknown): unknown {
  if (Buffer.isBuffer(actual)) return actual.toString('hex');
  if (typeof recorded !== 'string') return actual;
  if (typeof actual === 'number') return String(actual);
  const isUuid = /^[0-9a-f]{32}$/.test(recorded) && String(actual).length === 22;
  return isUuid ? Buffer.from(String(actual), 'base64url').toString('hex') : actual;
}

describe('frames recorded from real clients', () => {
  test('there are 277 of them, of eleven clients or more', () => {
    expect(frames.length).toBe(277);
    expect(new Set(frames.map((frame) => frame.client)).size).toBeGreaterThanOrEqual(8);
  });

  test.each(frames.map((frame, index) => [index, frame.client, frame.api, frame.version, frame]))(
    'frame %i: %s sends %s v%i, which decodes to the recorded fields and encodes to the same bytes',
    (_index, _client, _api, _version, frame) => {
      const bytes = Buffer.from(frame.requestHex, 'hex');
      const header = decodeRequestHeader(bytes);
      expect(header).toMatchObject({
        apiKey: frame.key,
        apiVersion: frame.version,
        correlationId: frame.correlationId,
        clientId: frame.clientId,
      });
      const api = apiOf(frame);
      const body = decodeRequest(api, frame.version, bytes, header.bodyOffset);
      matches(body, frame.request, frame.api);

      const { version, correlationId, clientId } = frame;
      const again = encodeRequest(api, { version, correlationId, clientId }, body);
      const encoded = Buffer.concat(again.chunks);
      expect(encoded.length).toBe(again.bytes);
      expect(encoded.readInt32BE(0)).toBe(bytes.length);
      expect(encoded.subarray(4).toString('hex')).toBe(frame.requestHex);
    },
  );

  test.each(
    frames
      .filter((frame) => frame.responseHex !== null)
      .map((frame, index) => [index, frame.client, frame.api, frame.version, frame]),
  )(
    'response %i: what %s accepted for %s v%i decodes and encodes to the same bytes',
    (_index, _client, _api, _version, frame) => {
      const hex = frame.responseHex ?? '';
      const { correlationId, body } = decodeResponse(
        apiOf(frame),
        answeredVersion(frame),
        Buffer.from(hex, 'hex'),
      );
      expect(correlationId).toBe(frame.correlationId);
      const again = encodeResponse(apiOf(frame), answeredVersion(frame), correlationId, body);
      expect(Buffer.concat(again.chunks).subarray(4).toString('hex')).toBe(hex);
    },
  );
});

/** An ApiVersions request in a version that the broker did not have was answered in version 0. */
function answeredVersion(frame: RecordedFrame): number {
  if (frame.api !== 'ApiVersions' || frame.responseHex === null) return frame.version;
  const errorCode = Buffer.from(frame.responseHex, 'hex').readInt16BE(4);
  return errorCode === 35 ? 0 : frame.version;
}
