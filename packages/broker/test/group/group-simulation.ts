import assert from 'node:assert/strict';
import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { GroupCoordinator } from '../../src/group/group-coordinator.ts';
import type { GroupErrorName } from '../../src/group/group-error.ts';
import type { JoinGroupRequest, JoinGroupResult } from '../../src/group/membership-requests.ts';
import { GroupModel } from './group-model.ts';
import { MemoryOffsetLog } from './memory-offset-log.ts';

const GROUPS = ['alpha', 'beta'];
const PARTITIONS = 3;
const SILENT = { info: () => undefined, warn: () => undefined };
/** Longer than any timeout of any client. */
const LONG_MS = 400_000;

interface Client {
  readonly request: JoinGroupRequest;
  memberId: string;
  generationId: number;
  lastJoin: JoinGroupResult | undefined;
  /** Aborts the request that is under way. */
  waiting: AbortController | undefined;
}

/** How often each kind of thing has happened, to show that a run was worth something. */
export type Happenings = Map<string, number>;

/**
 * Many clients that behave well, badly and not at all, a log that is slow and fails, and a machine
 * that crashes: everything that happens follows from the seed.
 */
export class GroupSimulation {
  readonly clock = new ManualClock();
  readonly happenings: Happenings = new Map();
  readonly #random: RandomSource;
  readonly #model = new GroupModel();
  readonly #clients: Client[];
  readonly #failures: unknown[] = [];
  #log = new MemoryOffsetLog();
  #coordinator: GroupCoordinator;
  #underWay = 0;
  #tokens = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#clients = Array.from({ length: 8 }, (_, index) => this.#newClient(index));
    this.#coordinator = this.#newCoordinator();
  }

  /** The next number of the generator: the same for the same seed and the same course of events. */
  nextRandom(): number {
    return this.#random.nextUint32();
  }

  async run(steps: number): Promise<void> {
    await this.#coordinator.load([]);
    for (let step = 0; step < steps; step += 1) {
      await this.#step();
      if (this.#failures.length > 0) throw this.#failures[0];
    }
    await this.#finish();
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #step(): Promise<void> {
    const dice = this.#below(100);
    if (dice < 70) this.#act(this.#pick(this.#clients));
    else if (dice < 80)
      await this.clock.advanceAsync(this.#below(this.#below(2) === 0 ? 100 : 8000));
    else if (dice < 92) this.#stirLog();
    else if (dice < 94) this.#administer();
    else if (dice < 95) await this.#crash();
    else if (dice < 96) await this.#rewriteLog();
    else await this.clock.advanceAsync(0);
  }

  #act(client: Client): void {
    if (client.waiting !== undefined) {
      // Sometimes the client gives up, or dies.
      if (this.#below(12) !== 0) return;
      this.#happened('gave up');
      client.waiting.abort(new Error('the client went away'));
      client.waiting = undefined;
      if (this.#below(2) === 0) this.#disconnect(client);
      return;
    }
    if (client.generationId < 0) {
      this.#join(client);
      return;
    }
    const dice = this.#below(20);
    if (dice < 6) this.#sync(client);
    else if (dice < 11) this.#heartbeat(client);
    else if (dice < 15) this.#commit(client);
    else if (dice < 18) this.#fetch(client.request.groupId);
    else if (dice < 19) this.#join(client);
    else this.#leave(client);
  }

  #join(client: Client): void {
    const { groupId } = client.request;
    const coordinator = this.#coordinator;
    const waiting = this.#startWaiting(client);
    const request = { ...client.request, memberId: client.memberId };
    this.#track('join', coordinator.joinGroup(request, { signal: waiting.signal }), (result) => {
      this.#model.joined(groupId, result);
      if (client.waiting !== waiting) return result.error;
      client.waiting = undefined;
      client.generationId = result.generationId;
      client.lastJoin = result;
      if (result.error === 'NONE' || result.error === 'MEMBER_ID_REQUIRED') {
        client.memberId = result.memberId;
      } else this.#heed(client, result.error);
      return result.error;
    });
  }

  #sync(client: Client): void {
    const { groupId, groupInstanceId } = client.request;
    const { generationId, memberId } = client;
    const members = client.lastJoin?.members ?? [];
    const skips = client.lastJoin?.skipAssignment === true;
    const token = `token-${this.#tokens++}`;
    const assignments = members.map((member) => ({
      memberId: member.memberId,
      assignment: Buffer.from(`${token}:${member.memberId}`),
    }));
    const waiting = this.#startWaiting(client);
    const request = {
      groupId,
      generationId,
      memberId,
      groupInstanceId,
      assignments: skips ? [] : assignments,
    };
    this.#track(
      'sync',
      this.#coordinator.syncGroup(request, { signal: waiting.signal }),
      (result) => {
        this.#model.synced(groupId, generationId, result);
        if (client.waiting === waiting) {
          client.waiting = undefined;
          this.#heed(client, result.error);
        }
        return result.error;
      },
    );
  }

  #heartbeat(client: Client): void {
    const { groupId, groupInstanceId } = client.request;
    const { generationId, memberId } = client;
    const error = this.#coordinator.heartbeat({ groupId, generationId, memberId, groupInstanceId });
    this.#happened(`heartbeat ${error}`);
    this.#heed(client, error);
  }

  #commit(client: Client): void {
    const { groupId, groupInstanceId } = client.request;
    const { generationId, memberId } = client;
    const index = this.#below(PARTITIONS);
    const issued = this.#model.commitIssued(groupId, index);
    const topics = [{ name: 'topic', partitions: [{ index, offset: issued.value }] }];
    const request = { groupId, generationId, memberId, groupInstanceId, topics };
    this.#track('commit', this.#coordinator.commitOffsets(request), (result) => {
      const error = result.topics[0]?.partitions[0]?.error ?? 'NONE';
      this.#model.commitAnswered(issued, error === 'NONE');
      return error;
    });
  }

  #fetch(groupId: string): void {
    const partition = this.#below(PARTITIONS);
    const floor = this.#model.floorOf(groupId, partition);
    const topics = [{ name: 'topic', partitions: [partition] }];
    this.#track(
      'fetch',
      this.#coordinator.fetchOffsets({ groupId, topics }),
      ({ error, topics: answers }) => {
        const offset = answers[0]?.partitions[0]?.offset ?? Number.NaN;
        if (error === 'NONE') this.#model.fetched(groupId, partition, { offset, floor });
        return error;
      },
    );
  }

  #leave(client: Client): void {
    const { groupId, groupInstanceId } = client.request;
    const members = [{ memberId: client.memberId, groupInstanceId }];
    const result = this.#coordinator.leaveGroup({ groupId, members });
    this.#happened(`leave ${result.members[0]?.error ?? result.error}`);
    this.#forget(client);
  }

  #disconnect(client: Client): void {
    this.#happened('disconnect');
    const { groupId } = client.request;
    this.#coordinator.onDisconnect([{ groupId, memberId: client.memberId }]);
    this.#forget(client);
  }

  #administer(): void {
    const groupId = this.#pick(GROUPS);
    if (this.#below(4) === 0) {
      const isEmpty = this.#coordinator.describeGroups([groupId])[0]?.state === 'Empty';
      if (isEmpty) this.#model.groupDeleted(groupId);
      this.#track(
        'delete group',
        this.#coordinator.deleteGroups([groupId]),
        ([deleted]) => deleted?.error ?? 'NONE',
      );
      return;
    }
    const partition = this.#below(PARTITIONS);
    this.#model.deletionIssued(groupId, partition);
    const topics = [{ name: 'topic', partitions: [partition] }];
    this.#track(
      'delete offset',
      this.#coordinator.deleteOffsets({ groupId, topics }),
      ({ error }) => error,
    );
  }

  #stirLog(): void {
    const dice = this.#below(10);
    if (dice < 6) this.#log.release();
    else if (dice < 8) this.#log.release(1);
    else if (dice < 9) this.#log.refuse(new Error('disk full'));
    else this.#log.isHeld = !this.#log.isHeld;
    // Order must be kept: nothing may overtake what is held.
    if (!this.#log.isHeld) this.#log.release();
  }

  async #rewriteLog(): Promise<void> {
    // What was refused in this turn is taken back first.
    await this.clock.advanceAsync(0);
    if (this.#log.heldAppends > 0) return;
    this.#happened('rewrite');
    this.#log.records.splice(0, this.#log.records.length, ...this.#coordinator.snapshot());
  }

  async #crash(): Promise<void> {
    this.#happened('crash');
    const before = this.#log;
    const old = this.#coordinator;
    // Nobody hears from the old one again; what it does from now on reaches no log.
    this.#model.incarnation += 1;
    for (const client of this.#clients) client.waiting = undefined;
    before.crash({ keeps: this.#below(before.heldAppends + 1) });
    const log = new MemoryOffsetLog();
    log.records.push(...before.records);
    this.#log = log;
    this.#coordinator = this.#newCoordinator();
    await old.close();
    const summary = await this.#coordinator.load([...log.records]);
    assert.equal(summary.skipped, 0);
  }

  /** Everybody falls silent: what is parked is answered, members time out, and nothing is left. */
  async #finish(): Promise<void> {
    this.#log.isHeld = false;
    for (let i = 0; i < 4; i += 1) {
      this.#log.release();
      await this.clock.advanceAsync(LONG_MS);
    }
    assert.equal(this.#underWay, 0, 'a request was never answered');
    for (const { state, groupId } of this.#coordinator.describeGroups(GROUPS)) {
      assert(state === 'Empty' || state === 'Dead', `${groupId} is still ${state}`);
    }
    const snapshot = [...this.#coordinator.snapshot()];
    const reloaded = this.#newCoordinator();
    await reloaded.load([...this.#log.records]);
    assert.deepEqual(
      byKey([...reloaded.snapshot()]),
      byKey(snapshot),
      'the log differs from memory',
    );
    await Promise.all([this.#coordinator.close(), reloaded.close()]);
    assert.equal(this.clock.pendingTimers, 0, 'a timer was left');
  }

  /** Follows a request of this incarnation; whatever comes of one that a crash cut off is nobody's. */
  #track<Result>(
    name: string,
    promise: Promise<Result>,
    seen: (result: Result) => GroupErrorName,
  ): void {
    const { incarnation } = this.#model;
    this.#underWay += 1;
    promise
      .then(
        (result) => {
          if (incarnation === this.#model.incarnation) this.#happened(`${name} ${seen(result)}`);
        },
        (reason: unknown) => {
          if (!(reason instanceof Error) || reason.message !== 'the client went away') throw reason;
        },
      )
      .catch((reason: unknown) => this.#failures.push(reason))
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  #heed(client: Client, error: GroupErrorName): void {
    if (error === 'NONE') return;
    client.generationId = -1;
    const isLost =
      error === 'UNKNOWN_MEMBER_ID' ||
      error === 'FENCED_INSTANCE_ID' ||
      error === 'GROUP_MAX_SIZE_REACHED';
    if (isLost) this.#forget(client);
  }

  #forget(client: Client): void {
    client.memberId = '';
    client.generationId = -1;
    client.lastJoin = undefined;
  }

  #startWaiting(client: Client): AbortController {
    const waiting = new AbortController();
    client.waiting = waiting;
    return waiting;
  }

  #newClient(index: number): Client {
    const names = ['range', ...['sticky', 'roundrobin'].filter(() => this.#below(2) === 0)];
    const request: JoinGroupRequest = {
      groupId: GROUPS[index % 2] ?? '',
      memberId: '',
      // Two clients of each group believe that they are the same instance.
      groupInstanceId: index >= 4 ? `instance-${index % 2}` : null,
      clientId: `client-${index}`,
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: 6000 + this.#below(20_000),
      rebalanceTimeoutMs: this.#below(30_000),
      protocolType: 'consumer',
      protocols: names.map((name) => ({ name, metadata: Buffer.from(`${index}`) })),
      requiresKnownMemberId: this.#below(2) === 0,
      supportsSkipAssignment: this.#below(2) === 0,
    };
    return { request, memberId: '', generationId: -1, lastJoin: undefined, waiting: undefined };
  }

  #newCoordinator(): GroupCoordinator {
    return new GroupCoordinator(
      {
        initialRebalanceDelayMs: 100,
        forgetMembersOnDisconnect: true,
        maxGroupSize: 5,
        offsetsRetentionCheckIntervalMs: 2_147_483_647,
      },
      { clock: this.clock, random: this.#random, logger: SILENT, offsetLog: this.#log },
    );
  }

  #happened(what: string): void {
    this.happenings.set(what, (this.happenings.get(what) ?? 0) + 1);
  }

  #below(bound: number): number {
    return randomBelow(this.#random, bound);
  }

  #pick<T>(from: readonly T[]): T {
    const picked = from[this.#below(from.length)];
    assert(picked !== undefined);
    return picked;
  }
}

function byKey(
  records: readonly { readonly key: Buffer; readonly value: Buffer | null }[],
): string[] {
  return records
    .map(({ key, value }) => `${key.toString('hex')} ${value?.toString('hex')}`)
    .toSorted();
}
