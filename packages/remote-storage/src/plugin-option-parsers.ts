import { RemoteStorageError } from './errors.ts';

/** Makes a value of an option's text; `undefined` when the option was not given. */
export type OptionParser<T> = (text: string | undefined, name: string) => T;

/** Any text; required unless there is a default. */
export function textOption(fallback?: string): OptionParser<string> {
  return (text, name) => {
    const value = text ?? fallback;
    if (value !== undefined) return value;
    throw new RemoteStorageError('invalid-configuration', `Option "${name}" is required`);
  };
}

/** `true` or `false`. */
export function flagOption(fallback: boolean): OptionParser<boolean> {
  return (text, name) => {
    const value = text?.trim().toLowerCase() ?? String(fallback);
    if (value === 'true' || value === 'false') return value === 'true';
    throw invalid(name, text, 'true or false');
  };
}

/** An integer with its bounds, both inclusive. */
export function integerOption(settings: {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}): OptionParser<number> {
  const { fallback, min, max } = settings;
  return (text, name) => {
    if (text === undefined) return fallback;
    const value = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw invalid(name, text, `an integer from ${min} to ${max}`);
  };
}

/** Names separated by commas, each of them one of `known`. */
export function namesOption<T extends string>(known: readonly T[]): OptionParser<readonly T[]> {
  return (text = '', name) => {
    const wanted = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
    const unknown = wanted.find((part) => !known.some((choice) => choice === part));
    if (unknown !== undefined) throw invalid(name, unknown, `any of ${known.join(', ')}`);
    return known.filter((choice) => wanted.includes(choice));
  };
}

function invalid(name: string, text: string | undefined, expected: string): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `Option "${name}" must be ${expected}, got ${JSON.stringify(text)}`,
  );
}
