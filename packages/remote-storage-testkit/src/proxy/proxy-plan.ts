import { randomBelow, seededRandom } from '@logloft/clock';
import type { ProxyFault, ProxyRequest } from './proxy-fault.ts';

/** Decides what is done to each request, in the order of their arrival. */
export interface ProxyFaultPlan {
  next(request: ProxyRequest): ProxyFault | undefined;
}

/** One line of a plan; what it leaves out matches everything. */
export interface ProxyRule {
  /** For example `PUT`. */
  readonly method?: string | undefined;
  /** What path and query must match, or contain. */
  readonly path?: RegExp | string | undefined;
  /** Requests that match and pass first. Default 0. */
  readonly skip?: number | undefined;
  /** Requests that it then holds for. Default all. */
  readonly times?: number | undefined;
  readonly fault: ProxyFault;
}

/**
 * A plan in rules. The first that matches a request decides; one that still skips, or was used up,
 * leaves it to the next.
 */
export function ruledProxyFaults(rules: readonly ProxyRule[]): ProxyFaultPlan {
  const met = rules.map(() => 0);
  return {
    next(request): ProxyFault | undefined {
      for (const [index, rule] of rules.entries()) {
        if (!matches(rule, request)) continue;
        const before = met[index] ?? 0;
        met[index] = before + 1;
        const { skip = 0, times = Number.POSITIVE_INFINITY } = rule;
        if (before >= skip && before < skip + times) return rule.fault;
      }
      return undefined;
    },
  };
}

function matches({ method, path }: ProxyRule, request: ProxyRequest): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  // `search` starts from the front also with a sticky or global expression.
  return typeof path === 'string' ? request.path.includes(path) : request.path.search(path) >= 0;
}

/** What a seeded plan may do. */
export interface SeededProxyFaultsOptions {
  /** Share of the requests that something is done to, 0 to 1. Default 0.2. */
  readonly rate?: number | undefined;
  /** What may be done, each as likely as the others. Default {@link PASSING_PROXY_FAULTS}. */
  readonly actions?: readonly ProxyFault[] | undefined;
}

/** What a client can survive by trying again, or by waiting a little. */
export const PASSING_PROXY_FAULTS: readonly ProxyFault[] = Object.freeze<ProxyFault[]>([
  { type: 'status', status: 500 },
  { type: 'status', status: 503, retryAfterSeconds: 0 },
  { type: 'status', status: 503, readBody: false },
  { type: 'status', status: 429, retryAfterSeconds: 0 },
  { type: 'delay', ms: 20 },
  { type: 'reset' },
  { type: 'cut-request', afterBytes: 1_000 },
  { type: 'cut-request', afterBytes: 100_000, reset: true },
  { type: 'truncate-response', afterBytes: 100 },
  { type: 'truncate-response', afterBytes: 100_000, reset: true },
  { type: 'drop-response' },
  { type: 'throttle', upBytesPerSecond: 20_000_000, downBytesPerSecond: 20_000_000 },
]);

/** A plan that depends on the seed, and on how many requests came before: the same seed, the same faults. */
export function seededProxyFaults(
  seed: number,
  options: SeededProxyFaultsOptions = {},
): ProxyFaultPlan {
  const { rate = 0.2, actions = PASSING_PROXY_FAULTS } = options;
  const random = seededRandom(seed);
  return {
    next(): ProxyFault | undefined {
      const hit = random.nextUint32() < rate * 2 ** 32;
      // Drawn also where nothing is done, so that the choices do not depend on the rate.
      const action = actions.length > 0 ? actions[randomBelow(random, actions.length)] : undefined;
      return hit ? action : undefined;
    },
  };
}
