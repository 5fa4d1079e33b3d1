import { InvalidQuotaOptionError } from './errors.ts';

/**
 * What happens to a copy when the write quota is exhausted.
 *
 * - `abort`: it is refused, and the run of its task ends (KIP-956).
 * - `wait`: it waits in line until the quota has room (Kafka 3.9).
 * - `pace`: it begins at once, and its bytes flow at the limit.
 */
export type ExhaustedPolicy = 'abort' | 'wait' | 'pace';

/**
 * What the write limit holds for: all writers of the broker together, or each writer by itself (so
 * that the broker's total is the limit times the number of writers, the letter of KIP-956).
 */
export type WriteQuotaScope = 'broker' | 'writer';

/** @throws InvalidQuotaOptionError when there is no such policy */
export function checkedPolicy(policy: ExhaustedPolicy): ExhaustedPolicy {
  if (policy === 'abort' || policy === 'wait' || policy === 'pace') return policy;
  throw new InvalidQuotaOptionError(
    `exhausted must be abort, wait or pace, got '${String(policy)}'`,
  );
}

/** @throws InvalidQuotaOptionError when there is no such scope */
export function checkedScope(scope: WriteQuotaScope): WriteQuotaScope {
  if (scope === 'broker' || scope === 'writer') return scope;
  throw new InvalidQuotaOptionError(`scope must be broker or writer, got '${String(scope)}'`);
}
