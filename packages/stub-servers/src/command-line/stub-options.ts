import { parseArgs } from 'node:util';
import type { GcsStubOptions } from '../gcs/index.ts';
import type { S3Credential, S3StubOptions } from '../s3/index.ts';

/** What a command line asks for. */
export type StubCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 's3'; readonly json: boolean; readonly options: S3StubOptions }
  | {
      readonly kind: 'gcs';
      readonly json: boolean;
      readonly options: GcsStubOptions;
      /** A service account's key file, as Google hands it out. */
      readonly keyFile: string | undefined;
    };

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

const COMMON = {
  port: { type: 'string' },
  bucket: { type: 'string', multiple: true },
  'max-bytes': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const S3 = {
  ...COMMON,
  region: { type: 'string' },
  'access-key': { type: 'string' },
  'secret-key': { type: 'string' },
  'no-auth': { type: 'boolean' },
  'conditional-writes': { type: 'string' },
  checksums: { type: 'string' },
} as const;

const GCS = {
  ...COMMON,
  token: { type: 'string' },
  'service-account': { type: 'string' },
} as const;

/** What `--help` prints. */
export const HELP = `logloft-stub s3|gcs [options]

Serves S3 or Google Cloud Storage in memory on 127.0.0.1, until Ctrl-C.

  --port N               port; a free one by default
  --bucket NAME          a bucket that is there from the start; may be repeated
  --max-bytes N          bytes held in all; 1 GiB by default
  --json                 the ready line as JSON
s3 only
  --access-key ID        the user's access key id, with --secret-key
  --secret-key KEY
  --region NAME          us-east-1 by default
  --no-auth              takes requests without a signature, or with a wrong one
  --conditional-writes atomic|none
  --checksums verify|ignore|refuse
gcs only
  --token TOKEN          wants "Authorization: Bearer TOKEN"
  --service-account FILE a key file; its owner gets the token at POST /token`;

function integer(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes a number, got '${text}'`);
}

function oneOf<Value extends string>(
  name: string,
  text: string | undefined,
  allowed: readonly Value[],
): Value | undefined {
  if (text === undefined) return undefined;
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} takes one of ${allowed.join(', ')}, got '${text}'`);
}

function credentials(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
): readonly S3Credential[] | undefined {
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return [{ accessKeyId, secretAccessKey }];
  }
  throw new UsageError('--access-key and --secret-key go together');
}

function parseS3(args: readonly string[]): StubCommand {
  const { values } = parseArgs({ args: [...args], options: S3 });
  if (values.help === true) return { kind: 'help' };
  return {
    kind: 's3',
    json: values.json ?? false,
    options: {
      port: integer('port', values.port),
      buckets: values.bucket,
      maxBytes: integer('max-bytes', values['max-bytes']),
      region: values.region,
      credentials: credentials(values['access-key'], values['secret-key']),
      authentication: values['no-auth'] === true ? 'ignore' : undefined,
      conditionalWrites: oneOf('conditional-writes', values['conditional-writes'], [
        'atomic',
        'none',
      ]),
      checksums: oneOf('checksums', values.checksums, ['verify', 'ignore', 'refuse']),
    },
  };
}

function parseGcs(args: readonly string[]): StubCommand {
  const { values } = parseArgs({ args: [...args], options: GCS });
  if (values.help === true) return { kind: 'help' };
  return {
    kind: 'gcs',
    json: values.json ?? false,
    options: {
      port: integer('port', values.port),
      buckets: values.bucket,
      maxBytes: integer('max-bytes', values['max-bytes']),
      token: values.token,
    },
    keyFile: values['service-account'],
  };
}

function isParseError(error: unknown): error is Error {
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')
  );
}

/**
 * Reads a command line, without the program's name.
 *
 * @throws UsageError when it cannot be understood
 */
export function parseCommandLine(args: readonly string[]): StubCommand {
  const [service, ...rest] = args;
  try {
    if (service === 's3') return parseS3(rest);
    if (service === 'gcs') return parseGcs(rest);
  } catch (error) {
    if (isParseError(error)) throw new UsageError(error.message);
    throw error;
  }
  if (service === undefined || service === '--help' || service === '-h') return { kind: 'help' };
  throw new UsageError(`there is no stub '${service}'; there are s3 and gcs`);
}
