import {
  flagOption,
  integerOption,
  type OptionParser,
  type ParsedOptions,
  type PluginOptions,
  RemoteStorageError,
  readPluginOptions,
} from '@logloft/remote-storage';
import { MAX_PART_BYTES, MIN_PART_BYTES } from './s3-settings.ts';

const MIB = 1024 * 1024;
const MAX_MS = 2_147_483_647;
const PART_BYTES = 8 * MIB;

/** How each setting of the plugin is read, by its name without `rsm.config.storage.`. */
export interface S3OptionParsers extends Readonly<Record<string, OptionParser<unknown>>> {
  readonly 's3.bucket.name': OptionParser<string>;
  readonly 's3.region': OptionParser<string | undefined>;
  readonly 's3.endpoint.url': OptionParser<string | undefined>;
  readonly 's3.path.style.access.enabled': OptionParser<boolean | undefined>;
  readonly 's3.multipart.upload.part.size': OptionParser<number>;
  readonly 's3.storage.class': OptionParser<string | undefined>;
  readonly 's3.api.call.timeout': OptionParser<number | undefined>;
  readonly 's3.api.call.attempt.timeout': OptionParser<number>;
  readonly 's3.legacy.md5.plugin.enabled': OptionParser<boolean | undefined>;
  readonly 'aws.access.key.id': OptionParser<string | undefined>;
  readonly 'aws.secret.access.key': OptionParser<string | undefined>;
  readonly 'aws.session.token': OptionParser<string | undefined>;
  readonly 'aws.credentials.file': OptionParser<string | undefined>;
  readonly 'aws.credentials.provider.class': OptionParser<undefined>;
  readonly 'aws.certificate.check.enabled': OptionParser<boolean>;
  readonly 'aws.checksum.check.enabled': OptionParser<boolean>;
  readonly 's3.checksums': OptionParser<'crc32' | 'none'>;
  readonly 's3.payload.signing.enabled': OptionParser<boolean>;
  readonly 's3.conditional.writes': OptionParser<boolean>;
  readonly 's3.delete.objects': OptionParser<'batch' | 'single'>;
  readonly 's3.parts.in.flight': OptionParser<number>;
  readonly 's3.upload.memory.bytes': OptionParser<number>;
  readonly 's3.connections.max': OptionParser<number>;
  readonly 's3.connect.timeout.ms': OptionParser<number>;
  readonly 's3.idle.timeout.ms': OptionParser<number>;
  readonly 's3.retry.max.attempts': OptionParser<number>;
  readonly 's3.server.side.encryption': OptionParser<'AES256' | 'aws:kms' | undefined>;
  readonly 's3.sse.kms.key.id': OptionParser<string | undefined>;
}

const milliseconds = (fallback: number): OptionParser<number> =>
  integerOption({ fallback, min: 1, max: MAX_MS });

/** All settings of the plugin. */
export const S3_OPTION_PARSERS: S3OptionParsers = Object.freeze({
  's3.bucket.name': (value, name) => {
    if (value !== undefined && value !== '') return value;
    throw invalid(`Option "${name}" is required`);
  },
  's3.region': nonEmpty,
  's3.endpoint.url': nonEmpty,
  's3.path.style.access.enabled': optional(flagOption(false)),
  's3.multipart.upload.part.size': integerOption({
    fallback: PART_BYTES,
    min: MIN_PART_BYTES,
    max: MAX_PART_BYTES,
  }),
  's3.storage.class': nonEmpty,
  's3.api.call.timeout': optional(milliseconds(0)),
  's3.api.call.attempt.timeout': milliseconds(30_000),
  's3.legacy.md5.plugin.enabled': optional(flagOption(false)),
  'aws.access.key.id': nonEmpty,
  'aws.secret.access.key': nonEmpty,
  'aws.session.token': nonEmpty,
  'aws.credentials.file': nonEmpty,
  'aws.credentials.provider.class': (value, name) => {
    if (value === undefined) return undefined;
    throw invalid(
      `Option "${name}" names a class of Java. Leave it out: without keys, the SDK's own chain ` +
        'finds credentials',
    );
  },
  'aws.certificate.check.enabled': flagOption(true),
  'aws.checksum.check.enabled': flagOption(true),
  's3.checksums': oneOf(['crc32', 'none'], 'crc32'),
  's3.payload.signing.enabled': flagOption(false),
  's3.conditional.writes': flagOption(true),
  's3.delete.objects': oneOf(['batch', 'single'], 'batch'),
  's3.parts.in.flight': integerOption({ fallback: 4, min: 1, max: 64 }),
  's3.upload.memory.bytes': integerOption({
    fallback: 0,
    min: MIN_PART_BYTES,
    max: Number.MAX_SAFE_INTEGER,
  }),
  's3.connections.max': integerOption({ fallback: 64, min: 1, max: 65_535 }),
  's3.connect.timeout.ms': milliseconds(5_000),
  's3.idle.timeout.ms': milliseconds(30_000),
  's3.retry.max.attempts': integerOption({ fallback: 3, min: 1, max: 20 }),
  's3.server.side.encryption': optional(oneOf(['AES256', 'aws:kms'], 'AES256')),
  's3.sse.kms.key.id': nonEmpty,
} satisfies S3OptionParsers);

/**
 * Reads the plugin's settings, under the names of Aiven's plugin where it has one for them.
 *
 * @throws RemoteStorageError `invalid-configuration`
 */
export function readS3PluginOptions(options: PluginOptions): ParsedOptions<S3OptionParsers> {
  const read = readPluginOptions(options, S3_OPTION_PARSERS);
  const given = (name: keyof S3OptionParsers): boolean => read[name] !== undefined;
  if (given('aws.access.key.id') !== given('aws.secret.access.key')) {
    throw invalid('Options "aws.access.key.id" and "aws.secret.access.key" go together');
  }
  if (given('aws.session.token') && !given('aws.access.key.id')) {
    throw invalid('Option "aws.session.token" goes with "aws.access.key.id"');
  }
  if (given('aws.credentials.file') && given('aws.access.key.id')) {
    throw invalid('Give either "aws.credentials.file" or "aws.access.key.id", not both');
  }
  return read;
}

function nonEmpty(value: string | undefined, name: string): string | undefined {
  if (value !== '') return value;
  throw invalid(`Option "${name}" is empty; leave it out instead`);
}

function optional<T>(parse: OptionParser<T>): OptionParser<T | undefined> {
  return (value, name) => (value === undefined ? undefined : parse(value, name));
}

function oneOf<T extends string>(choices: readonly T[], fallback: T): OptionParser<T> {
  return (value = fallback, name) => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw invalid(`Option "${name}" must be ${choices.join(' or ')}, got ${JSON.stringify(value)}`);
  };
}

function invalid(message: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', message);
}
