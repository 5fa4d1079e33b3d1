import type { GroupCoordinatorSettings } from './coordinator-options.ts';
import type { Group } from './group.ts';
import type { GroupWaiters } from './group-waiters.ts';
import type { OffsetStore } from './offset-store.ts';

/** Components of a {@link GroupDirectory}. */
export interface GroupDirectoryContext {
  readonly store: OffsetStore;
  readonly waiters: GroupWaiters;
  readonly newGroup: (groupId: string) => Group;
  readonly nowMs: () => number;
  /** Called when the first group has come or the last one has gone. */
  readonly populated: (hasGroups: boolean) => void;
}

interface Measure {
  readonly members: number;
  readonly bytes: number;
}

const NOTHING: Measure = { members: 0, bytes: 0 };

/** All groups, within bounds on their number and on what is kept for their members. */
export class GroupDirectory implements Iterable<Group> {
  readonly #settings: GroupCoordinatorSettings;
  readonly #context: GroupDirectoryContext;
  readonly #groups = new Map<string, Group>();
  readonly #measures = new Map<string, Measure>();
  #members = 0;
  #bytes = 0;

  constructor(settings: GroupCoordinatorSettings, context: GroupDirectoryContext) {
    this.#settings = settings;
    this.#context = context;
  }

  get(groupId: string): Group | undefined {
    return this.#groups.get(groupId);
  }

  get size(): number {
    return this.#groups.size;
  }

  [Symbol.iterator](): Iterator<Group> {
    return this.#groups.values();
  }

  /** The group, made when it is not there; `undefined` when there are too many. */
  getOrCreate(groupId: string): Group | undefined {
    const group = this.#groups.get(groupId);
    if (group !== undefined || this.#groups.size >= this.#settings.maxGroups) return group;
    return this.create(groupId);
  }

  /** Makes a group whatever the bound. For groups that are in the log. */
  create(groupId: string): Group {
    const group = this.#context.newGroup(groupId);
    this.#groups.set(groupId, group);
    if (this.#groups.size === 1) this.#context.populated(true);
    return group;
  }

  /** Whether one more member, or `bytes` more for a present one, can be kept. */
  hasRoomFor(need: { readonly members: number; readonly bytes: number }): boolean {
    return (
      this.#members + need.members <= this.#settings.maxMembers &&
      this.#bytes + need.bytes <= this.#settings.maxMemberBytes
    );
  }

  /**
   * To be called after anything has changed in a group: measures it, forgets it when nothing is left
   * of it, and tells those who wait for it.
   */
  changed(group: Group): void {
    if (this.#groups.get(group.id) !== group) return;
    const isUnused = this.#isUnused(group);
    this.#measure(group, isUnused);
    if (isUnused) {
      group.transitionTo('Dead', this.#context.nowMs());
      this.#remove(group);
    }
    this.#context.waiters.notify(group.id, isUnused ? undefined : group);
  }

  /** Forgets all groups, whatever state they are in. */
  clear(): void {
    for (const group of this.#groups.values()) group.dispose();
    this.#groups.clear();
    this.#measures.clear();
    this.#members = 0;
    this.#bytes = 0;
    this.#context.populated(false);
  }

  #isUnused(group: Group): boolean {
    if (group.state !== 'Empty' || group.pendingMemberCount > 0) return false;
    return !this.#context.store.has(group.id);
  }

  #measure(group: Group, isUnused: boolean): void {
    const before = this.#measures.get(group.id) ?? NOTHING;
    const members = group.members.size + group.pendingMemberCount;
    const now: Measure = isUnused ? NOTHING : { members, bytes: group.keptBytes };
    this.#members += now.members - before.members;
    this.#bytes += now.bytes - before.bytes;
    if (isUnused) this.#measures.delete(group.id);
    else this.#measures.set(group.id, now);
  }

  #remove(group: Group): void {
    group.dispose();
    this.#groups.delete(group.id);
    if (this.#groups.size === 0) this.#context.populated(false);
  }
}
