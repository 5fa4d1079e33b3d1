import { GcsError } from './gcs-error.ts';

/** A query's parameters, decoded; the first of a name counts. */
export type Query = ReadonlyMap<string, string>;

/** What a request wants the object to be, or not to be. Numbers as decimal text, so that none is rounded. */
export interface Preconditions {
  readonly generationMatch: string | undefined;
  readonly generationNotMatch: string | undefined;
  readonly metagenerationMatch: string | undefined;
  readonly metagenerationNotMatch: string | undefined;
}

/** The two numbers that preconditions look at. */
export interface Generations {
  readonly generation: number;
  readonly metageneration: number;
}

/** Of the object that is written or read (`if…`), or of the source of a copy (`ifSource…`). */
export type PreconditionPrefix = 'if' | 'ifSource';

/** @throws GcsError `invalid` for a value that is no whole number */
export function readPreconditions(query: Query, prefix: PreconditionPrefix = 'if'): Preconditions {
  return {
    generationMatch: wholeNumber(query, `${prefix}GenerationMatch`),
    generationNotMatch: wholeNumber(query, `${prefix}GenerationNotMatch`),
    metagenerationMatch: wholeNumber(query, `${prefix}MetagenerationMatch`),
    metagenerationNotMatch: wholeNumber(query, `${prefix}MetagenerationNotMatch`),
  };
}

/** A whole number of the query as canonical decimal text. @throws GcsError `invalid` */
export function wholeNumber(query: Query, name: string): string | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,19}$/.test(text)) {
    throw new GcsError('invalid', `Invalid value ${JSON.stringify(text)} for ${name}`);
  }
  return BigInt(text).toString();
}

/**
 * What they say of `object`; `undefined` stands for a name that has none, whose generation counts as 0.
 * `unchanged` is how the not-match forms fail: a read answers 304, a write 412.
 */
export function judge(
  conditions: Preconditions,
  object: Generations | undefined,
): 'met' | 'not-met' | 'unchanged' {
  const generation = String(object?.generation ?? 0);
  const metageneration = String(object?.metageneration ?? 0);
  const { generationMatch, generationNotMatch, metagenerationMatch, metagenerationNotMatch } =
    conditions;
  if (generationMatch !== undefined && generationMatch !== generation) return 'not-met';
  if (metagenerationMatch !== undefined && metagenerationMatch !== metageneration) return 'not-met';
  if (generationNotMatch === generation) return 'unchanged';
  return metagenerationNotMatch === metageneration ? 'unchanged' : 'met';
}

/** @throws GcsError `conditionNotMet` */
export function assertMet(conditions: Preconditions, object: Generations | undefined): void {
  if (judge(conditions, object) === 'met') return;
  throw new GcsError(
    'conditionNotMet',
    'At least one of the pre-conditions you specified did not hold.',
  );
}
