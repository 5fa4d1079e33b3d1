import { abortable } from './abortable.ts';
import type { Group } from './group.ts';
import type { GroupState } from './group-state.ts';

/** What a group must be like. */
export interface GroupCondition {
  /** Exactly this many members. Default: any number. */
  readonly members?: number | undefined;
  /**
   * Default `Stable`, which here also means that every member has its assignment. A group that does
   * not exist is `Dead`.
   */
  readonly state?: GroupState | undefined;
}

interface Waiter {
  readonly condition: GroupCondition;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Those who wait for groups to come into a state. */
export class GroupWaiters {
  readonly #waiters = new Map<string, Set<Waiter>>();

  /**
   * Resolves once the group fulfils the condition.
   *
   * @param group the group as it is now, if there is one
   * @throws the reason of the signal, or of {@link GroupWaiters.rejectAll}
   */
  async wait(
    groupId: string,
    group: Group | undefined,
    options: GroupCondition & { readonly signal?: AbortSignal | undefined },
  ): Promise<void> {
    options.signal?.throwIfAborted();
    if (fulfils(group, options)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { condition: options, resolve, reject };
    const waiters = this.#waiters.get(groupId) ?? new Set();
    this.#waiters.set(groupId, waiters.add(waiter));
    try {
      await abortable(promise, options.signal);
    } finally {
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiters.get(groupId) === waiters) {
        this.#waiters.delete(groupId);
      }
    }
  }

  /** To be called whenever a group has changed, or is gone. */
  notify(groupId: string, group: Group | undefined): void {
    for (const waiter of this.#waiters.get(groupId) ?? []) {
      if (fulfils(group, waiter.condition)) waiter.resolve();
    }
  }

  rejectAll(reason: Error): void {
    for (const waiters of this.#waiters.values()) {
      for (const waiter of waiters) waiter.reject(reason);
    }
  }
}

function fulfils(group: Group | undefined, condition: GroupCondition): boolean {
  const state = condition.state ?? 'Stable';
  const members = condition.members ?? group?.members.size ?? 0;
  if ((group?.state ?? 'Dead') !== state || (group?.members.size ?? 0) !== members) return false;
  return state !== 'Stable' || group?.pendingSync.size === 0;
}
