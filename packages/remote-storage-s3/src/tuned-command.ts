import { createHash } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';

/** What is changed in a request after the SDK has built it, and before it is signed. */
export interface CommandTuning {
  /** Leaves the body out of the signature. */
  readonly unsignedPayload?: boolean | undefined;
  /** Takes away what the SDK says of checksums on its own account. */
  readonly withoutChecksums?: boolean | undefined;
  /** Adds Content-MD5. */
  readonly md5?: boolean | undefined;
  /** Asks for the checksum that the store keeps, without having the SDK compute it. */
  readonly wantsChecksum?: boolean | undefined;
  /** Is told the `Date` of the answer, whatever its status. */
  readonly onDate?: ((date: string | undefined) => void) | undefined;
}

/** Has a command sent as a store wants it, whichever client it is sent by. */
export function tuned<C extends { readonly middlewareStack: unknown }>(
  command: C,
  tuning: CommandTuning,
): C {
  // The steps look at request and answer alone, which are the same for all commands.
  const stack = command.middlewareStack as S3Client['middlewareStack'];
  stack.add(
    (next) => async (args) => {
      if (hasHeaders(args.request)) tuneRequest(args.request, tuning);
      return await next(args);
    },
    { step: 'build', priority: 'low', name: 'logloftTuning', override: true },
  );
  const { onDate } = tuning;
  if (onDate === undefined) return command;
  stack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (hasHeaders(result.response)) onDate(result.response.headers['date']);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'logloftDate', override: true },
  );
  return command;
}

interface WithHeaders {
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

function tuneRequest(request: WithHeaders, tuning: CommandTuning): void {
  const { headers, body } = request;
  for (const name of Object.keys(headers)) {
    const lower = name.toLowerCase();
    // A client that was given to us may ask for it; it costs a connection, or seconds.
    const isExpect = lower === 'expect';
    const isChecksum =
      lower.startsWith('x-amz-checksum-') || lower === 'x-amz-sdk-checksum-algorithm';
    if (isExpect || (isChecksum && tuning.withoutChecksums)) delete headers[name];
  }
  if (tuning.unsignedPayload) headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
  if (tuning.wantsChecksum) headers['x-amz-checksum-mode'] = 'ENABLED';
  if (tuning.md5 && (typeof body === 'string' || body instanceof Uint8Array)) {
    headers['content-md5'] = createHash('md5').update(body).digest('base64');
  }
}

function hasHeaders(value: unknown): value is WithHeaders {
  return typeof value === 'object' && value !== null && 'headers' in value;
}
