import { RemoteStorageError } from '../errors.ts';
import type { PluginOptions } from '../plugin.ts';
import { flagOption, type OptionParser } from '../plugin-option-parsers.ts';
import type { EncryptionKeyPair } from '../transform/key-pair.ts';

/** How segments are encrypted. */
export interface EncryptionOptions {
  /** Whether new segments are encrypted; old ones are read in any case. Default true. (`encryption.enabled`) */
  readonly enabled?: boolean | undefined;
  /** Id of the pair for new segments; required when they are encrypted. (`encryption.key.pair.id`) */
  readonly keyPairId?: string | undefined;
  /** All pairs that segments were written with, and the one for new ones. (`encryption.key.pairs`) */
  readonly keyPairs: readonly EncryptionKeyPair[];
}

const ENABLED = 'encryption.enabled';
const ACTIVE = 'encryption.key.pair.id';
const PAIRS = 'encryption.key.pairs';

/** Parsers of the options on encryption: which there are depends on the ids of the key pairs. */
export function encryptionParsers(
  options: PluginOptions,
): Readonly<Record<string, OptionParser<unknown>>> {
  const optional = (text: string | undefined): string | undefined => text;
  const files = keyPairIds(options).flatMap(fileOptions);
  return {
    [ENABLED]: flagOption(false),
    [ACTIVE]: optional,
    [PAIRS]: optional,
    ...Object.fromEntries(files.map((name) => [name, optional])),
  };
}

/**
 * The options on encryption; `undefined` where there are none.
 *
 * @param options whose names are known to be right
 * @throws RemoteStorageError `invalid-configuration` when something is missing
 */
export function readEncryptionOptions(options: PluginOptions): EncryptionOptions | undefined {
  const given = new Map(Object.entries(options));
  const enabled = flagOption(false)(given.get(ENABLED), ENABLED);
  const ids = keyPairIds(options);
  if (!enabled && ids.length === 0) return undefined;
  const keyPairs = ids.map((id): EncryptionKeyPair => {
    const [publicName, privateName] = fileOptions(id);
    const publicKeyFile = given.get(publicName);
    const privateKeyFile = given.get(privateName);
    if (publicKeyFile === undefined && privateKeyFile === undefined) {
      throw missing(publicName, `${JSON.stringify(id)} is in ${PAIRS}`);
    }
    return { id, publicKeyFile, privateKeyFile };
  });
  const keyPairId = given.get(ACTIVE)?.trim();
  if (enabled) {
    if (ids.length === 0) throw missing(PAIRS, `${ENABLED} is true`);
    if (keyPairId === undefined) throw missing(ACTIVE, `${ENABLED} is true`);
    if (!ids.includes(keyPairId)) {
      throw invalid(`Option "${ACTIVE}" is ${JSON.stringify(keyPairId)}, which is not in ${PAIRS}`);
    }
  }
  return { enabled, keyPairId, keyPairs };
}

function keyPairIds(options: PluginOptions): readonly string[] {
  const text = new Map(Object.entries(options)).get(PAIRS) ?? '';
  const ids = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const wrong = ids.find((id, index) => id.includes(':') || ids.indexOf(id) !== index);
  if (wrong === undefined) return ids;
  throw invalid(
    `Option "${PAIRS}" must be different ids without a colon, separated by commas, got ${JSON.stringify(wrong)}`,
  );
}

function fileOptions(id: string): [publicKey: string, privateKey: string] {
  return [`${PAIRS}.${id}.public.key.file`, `${PAIRS}.${id}.private.key.file`];
}

function missing(name: string, why: string): RemoteStorageError {
  return invalid(`Option "${name}" is required, since ${why}`);
}

function invalid(message: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', message);
}
