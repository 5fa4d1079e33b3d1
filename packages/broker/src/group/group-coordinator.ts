import assert from 'node:assert/strict';
import type {
  DeletedGroup,
  DescribedGroup,
  ListGroupsRequest,
  ListGroupsResult,
} from './admin-requests.ts';
import {
  type GroupCoordinatorContext,
  type GroupCoordinatorOptions,
  type GroupCoordinatorSettings,
  resolveCoordinatorOptions,
} from './coordinator-options.ts';
import { Deadline } from './deadline.ts';
import { deleteGroup, describeGroup, describeNothing, listGroups } from './group-admin.ts';
import { GroupCoordinatorClosedError } from './group-coordinator-closed-error.ts';
import { GroupDirectory } from './group-directory.ts';
import type { GroupErrorName } from './group-error.ts';
import { everyPartition, fetchRefused, GroupOffsets } from './group-offsets.ts';
import { type GroupCondition, GroupWaiters } from './group-waiters.ts';
import { Membership } from './membership.ts';
import { joinRefused, syncRefused } from './membership-answers.ts';
import type {
  DisconnectedMember,
  HeartbeatRequest,
  JoinGroupRequest,
  JoinGroupResult,
  LeaveGroupRequest,
  LeaveGroupResult,
  SyncGroupRequest,
  SyncGroupResult,
} from './membership-requests.ts';
import type { OffsetLogRecord } from './offset-log.ts';
import type {
  OffsetCommitRequest,
  OffsetCommitResult,
  OffsetDeleteRequest,
  OffsetDeleteResult,
  OffsetFetchRequest,
  OffsetFetchResult,
} from './offset-requests.ts';
import { type OffsetLoadSummary, OffsetStore, type StoredOffsetRecord } from './offset-store.ts';
import { Rebalances } from './rebalance.ts';
import { restoreGroups } from './restore-groups.ts';

/** Options of calls that may wait. */
export interface GroupCallOptions {
  /** Aborted when the client has gone away: its parked request is dropped. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The coordinator of classic consumer groups, and the offsets that they commit. It knows neither
 * sockets nor the wire: requests and answers are plain objects, and what depends on the version of a
 * request is a field of it. Calls never throw for what a client did wrong; that is the `error` of the
 * answer.
 *
 * With an offset log it answers COORDINATOR_LOAD_IN_PROGRESS until {@link GroupCoordinator.load} is
 * done.
 */
export class GroupCoordinator {
  readonly #settings: GroupCoordinatorSettings;
  readonly #context: GroupCoordinatorContext;
  readonly #store: OffsetStore;
  readonly #directory: GroupDirectory;
  readonly #rebalances: Rebalances;
  readonly #membership: Membership;
  readonly #offsets: GroupOffsets;
  readonly #waiters = new GroupWaiters();
  readonly #expiry: Deadline;
  #state: 'loading' | 'ready' | 'closed';
  #closed: Promise<void> | undefined;
  #hasLoaded = false;

  /** @throws RangeError when an option is outside its range */
  constructor(options: GroupCoordinatorOptions, context: GroupCoordinatorContext) {
    const settings = resolveCoordinatorOptions(options);
    const { clock, logger, random } = context;
    this.#settings = settings;
    this.#context = context;
    this.#state = context.offsetLog === undefined ? 'ready' : 'loading';
    const store = new OffsetStore({ logger, log: context.offsetLog });
    const rebalances = new Rebalances({
      clock,
      logger,
      settings,
      store,
      directory: () => this.#directory,
    });
    const directory = new GroupDirectory(settings, {
      store,
      waiters: this.#waiters,
      newGroup: (groupId) => rebalances.newGroup(groupId),
      nowMs: () => clock.now(),
      populated: (hasGroups) => this.#populated(hasGroups),
    });
    this.#store = store;
    this.#rebalances = rebalances;
    this.#directory = directory;
    this.#membership = new Membership({
      clock,
      random,
      logger,
      settings,
      store,
      directory,
      rebalances,
    });
    this.#offsets = new GroupOffsets({
      clock,
      logger,
      settings,
      store,
      directory,
      hasPartition: context.hasPartition ?? (() => true),
    });
    this.#expiry = new Deadline(clock, () => this.#expire());
  }

  /** Whether FindCoordinator may name this broker: loaded, and not closed. */
  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /**
   * Takes over what the offset log holds, oldest record first, and begins to serve. Members come back
   * with their assignments and fresh session timeouts. Records that cannot be read are passed over
   * with a log line. To be called once, on a coordinator that has a log.
   *
   * @throws GroupCoordinatorClosedError when it was closed before or in between
   * @throws whatever reading `records` throws; the coordinator is then still loading
   */
  async load(
    records: Iterable<StoredOffsetRecord> | AsyncIterable<StoredOffsetRecord>,
  ): Promise<OffsetLoadSummary> {
    this.#assertOpen();
    assert(
      this.#state === 'loading' && !this.#hasLoaded,
      'a coordinator loads once, if it has a log',
    );
    this.#hasLoaded = true;
    const summary = await this.#store.load(records);
    this.#assertOpen();
    const { logger } = this.#context;
    restoreGroups({
      settings: this.#settings,
      store: this.#store,
      directory: this.#directory,
      rebalances: this.#rebalances,
      logger,
    });
    this.#state = 'ready';
    logger.info('group coordinator has loaded its log', {
      ...summary,
      groups: this.#directory.size,
      offsets: this.#store.offsetCount,
    });
    return summary;
  }

  /**
   * Every record that the log still needs, so that it can be rewritten: to be read to its end in one
   * turn, and best between two appends, since writes under way are included and may still fail.
   */
  snapshot(): Generator<OffsetLogRecord> {
    return this.#store.snapshot();
  }

  /**
   * Brings a member into a rebalance and answers when the join phase is over.
   *
   * @throws the reason of the signal
   */
  async joinGroup(
    request: JoinGroupRequest,
    options: GroupCallOptions = {},
  ): Promise<JoinGroupResult> {
    options.signal?.throwIfAborted();
    const error = this.#unavailable();
    if (error !== 'NONE') return joinRefused(error, request.memberId);
    return this.#membership.join(request, options.signal);
  }

  /**
   * Takes the leader's assignments and answers when they are in the log.
   *
   * @throws the reason of the signal
   */
  async syncGroup(
    request: SyncGroupRequest,
    options: GroupCallOptions = {},
  ): Promise<SyncGroupResult> {
    options.signal?.throwIfAborted();
    const error = this.#unavailable();
    if (error !== 'NONE') return syncRefused(error);
    return this.#membership.sync(request, options.signal);
  }

  /** Keeps a member's session alive, and tells it of rebalances. */
  heartbeat(request: HeartbeatRequest): GroupErrorName {
    // While loading, a session cannot end; there is no reason to make the member look elsewhere.
    if (this.#state === 'loading') return 'NONE';
    const error = this.#unavailable();
    return error === 'NONE' ? this.#membership.heartbeat(request) : error;
  }

  /** Lets members go, and rebalances without them. */
  leaveGroup(request: LeaveGroupRequest): LeaveGroupResult {
    const error = this.#unavailable();
    return error === 'NONE' ? this.#membership.leave(request) : { error, members: [] };
  }

  /**
   * Tells that connections of members are gone. Does nothing unless `forgetMembersOnDisconnect` is
   * set; static members are never taken out by this.
   */
  onDisconnect(members: readonly DisconnectedMember[]): void {
    if (this.#state === 'ready') this.#membership.disconnected(members);
  }

  /** Commits offsets; answers when they are in the log. */
  async commitOffsets(request: OffsetCommitRequest): Promise<OffsetCommitResult> {
    const error = this.#unavailable();
    return error === 'NONE' ? this.#offsets.commit(request) : everyPartition(request, error);
  }

  /**
   * Looks committed offsets up. Commits that were made before this call are waited for, so that
   * whoever takes a partition over starts where the last owner stopped.
   *
   * @throws the reason of the signal
   */
  async fetchOffsets(
    request: OffsetFetchRequest,
    options: GroupCallOptions = {},
  ): Promise<OffsetFetchResult> {
    options.signal?.throwIfAborted();
    const error = this.#unavailable();
    return error === 'NONE' ? this.#offsets.fetch(request, options) : fetchRefused(request, error);
  }

  /** Deletes offsets of topics that nobody in the group reads. */
  async deleteOffsets(request: OffsetDeleteRequest): Promise<OffsetDeleteResult> {
    const error = this.#unavailable();
    return error === 'NONE' ? this.#offsets.delete(request) : { error, topics: [] };
  }

  /**
   * Describes groups, in the order of the ids.
   *
   * @param options `unknownGroupIsError`: answer GROUP_ID_NOT_FOUND for a group that is not there
   *   (v6+), rather than a group in the state Dead
   */
  describeGroups(
    groupIds: readonly string[],
    options: { readonly unknownGroupIsError?: boolean | undefined } = {},
  ): readonly DescribedGroup[] {
    const error = this.#unavailable();
    if (error !== 'NONE') return groupIds.map((groupId) => describeNothing(groupId, error));
    const unknown = options.unknownGroupIsError === true ? 'GROUP_ID_NOT_FOUND' : 'NONE';
    return groupIds.map((groupId) => {
      const group = this.#directory.get(groupId);
      return group === undefined ? describeNothing(groupId, unknown) : describeGroup(group);
    });
  }

  /** Lists the groups that pass the filters. */
  listGroups(request: ListGroupsRequest = {}): ListGroupsResult {
    const error = this.#unavailable();
    return { error, groups: error === 'NONE' ? listGroups(this.#directory, request) : [] };
  }

  /** Deletes groups without members, with their offsets; answers when the log has it. */
  async deleteGroups(groupIds: readonly string[]): Promise<readonly DeletedGroup[]> {
    const error = this.#unavailable();
    if (error !== 'NONE') return groupIds.map((groupId) => ({ groupId, error }));
    const store = this.#store;
    const directory = this.#directory;
    const { logger } = this.#context;
    return Promise.all(
      [...groupIds].map((groupId) => deleteGroup(groupId, { store, directory, logger })),
    );
  }

  /**
   * Drops the offsets of topics that were deleted, in all groups.
   *
   * @throws GroupCoordinatorClosedError after {@link GroupCoordinator.close}
   * @throws AggregateError when the log refused some; these offsets are still there
   */
  async onTopicsDeleted(names: readonly string[]): Promise<void> {
    this.#assertOpen();
    await this.#offsets.topicsDeleted(names);
  }

  /**
   * Waits until a group has so many members and is in a state, by default until it is stable and every
   * member has its assignment. For tests: a consumer's `run()` resolves long before it has joined.
   *
   * @throws the reason of the signal
   * @throws GroupCoordinatorClosedError when the coordinator is closed
   */
  async waitForGroup(
    groupId: string,
    options: GroupCondition & GroupCallOptions = {},
  ): Promise<DescribedGroup> {
    this.#assertOpen();
    await this.#waiters.wait(groupId, this.#directory.get(groupId), options);
    const group = this.#directory.get(groupId);
    return group === undefined ? describeNothing(groupId, 'NONE') : describeGroup(group);
  }

  /**
   * Answers whatever is parked with COORDINATOR_NOT_AVAILABLE, forgets all groups and waits for the
   * writes under way. Members are not taken out: after a restart they go on where they were.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#state = 'closed';
    for (const group of this.#directory) {
      this.#rebalances.abandon(group, 'COORDINATOR_NOT_AVAILABLE');
    }
    this.#directory.clear();
    this.#waiters.rejectAll(new GroupCoordinatorClosedError());
    await this.#store.flush();
  }

  #unavailable(): GroupErrorName {
    if (this.#state === 'ready') return 'NONE';
    return this.#state === 'loading' ? 'COORDINATOR_LOAD_IN_PROGRESS' : 'COORDINATOR_NOT_AVAILABLE';
  }

  #assertOpen(): void {
    if (this.#state === 'closed') throw new GroupCoordinatorClosedError();
  }

  #populated(hasGroups: boolean): void {
    if (!hasGroups || this.#state === 'closed') this.#expiry.cancel();
    else this.#expiry.restart(this.#settings.offsetsRetentionCheckIntervalMs);
  }

  #expire(): void {
    const next = (): void => this.#populated(this.#directory.size > 0);
    // Its own failures are in the log already.
    this.#offsets.expire().then(next, next);
  }
}
