import { ManualClock, type RandomSource, seededRandom } from '@logloft/clock';
import type { GroupCoordinatorOptions } from '../../src/group/coordinator-options.ts';
import { GroupCoordinator } from '../../src/group/group-coordinator.ts';
import type { GroupErrorName } from '../../src/group/group-error.ts';
import type {
  JoinGroupRequest,
  JoinGroupResult,
  MemberProtocol,
  SyncGroupResult,
} from '../../src/group/membership-requests.ts';
import type { OffsetLog } from '../../src/group/offset-log.ts';
import type {
  OffsetCommitPartition,
  OffsetCommitRequest,
} from '../../src/group/offset-requests.ts';

export const SESSION_MS = 10_000;
export const REBALANCE_MS = 60_000;

/** What a coordinator is made of, where a test wants something else than the default. */
export interface FixtureParts {
  readonly clock?: ManualClock;
  readonly random?: RandomSource;
  readonly offsetLog?: OffsetLog;
  readonly hasPartition?: (topic: string, partition: number) => boolean;
}

export interface LogLine {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A coordinator under a clock that is moved by hand. */
export class GroupFixture {
  readonly clock: ManualClock;
  readonly coordinator: GroupCoordinator;
  readonly lines: LogLine[] = [];

  constructor(options: GroupCoordinatorOptions = {}, parts: FixtureParts = {}) {
    this.clock = parts.clock ?? new ManualClock();
    this.coordinator = new GroupCoordinator(options, {
      clock: this.clock,
      random: parts.random ?? seededRandom(1),
      logger: {
        info: (message, fields = {}) => this.lines.push({ level: 'info', message, fields }),
        warn: (message, fields = {}) => this.lines.push({ level: 'warn', message, fields }),
      },
      offsetLog: parts.offsetLog,
      hasPartition: parts.hasPartition,
    });
  }

  /** Lets promises and timers of this instant run. */
  settle(): Promise<void> {
    return this.clock.advanceAsync(0);
  }

  member(overrides: Partial<JoinGroupRequest> = {}): TestMember {
    return new TestMember(this.coordinator, overrides);
  }

  /** Members of one stable generation; the first one leads. */
  async stableGroup(
    count: number,
    overrides: Partial<JoinGroupRequest> = {},
  ): Promise<[TestMember, ...TestMember[]]> {
    const leader = this.member(overrides);
    const members: [TestMember, ...TestMember[]] = [leader];
    while (members.length < count) members.push(this.member(overrides));
    await Promise.all([...members.map((member) => member.join()), this.settle()]);
    await syncAll(members);
    return members;
  }

  state(groupId = 'group'): string {
    return this.coordinator.describeGroups([groupId])[0]?.state ?? 'nothing';
  }
}

/** Every member asks for its assignment; the leader gives each its own id as the assignment. */
export async function syncAll(members: readonly TestMember[]): Promise<SyncGroupResult[]> {
  return Promise.all(members.map((member) => member.sync()));
}

/** A client of version 9 requests that behaves as a consumer should, unless told otherwise. */
export class TestMember {
  memberId = '';
  generationId = -1;
  lastJoin: JoinGroupResult | undefined;
  readonly #coordinator: GroupCoordinator;
  request: JoinGroupRequest;

  constructor(coordinator: GroupCoordinator, overrides: Partial<JoinGroupRequest>) {
    this.#coordinator = coordinator;
    this.request = {
      groupId: 'group',
      memberId: '',
      clientId: 'client',
      clientHost: '/127.0.0.1',
      sessionTimeoutMs: SESSION_MS,
      rebalanceTimeoutMs: REBALANCE_MS,
      protocolType: 'consumer',
      protocols: protocols('range'),
      requiresKnownMemberId: true,
      supportsSkipAssignment: true,
      ...overrides,
    };
  }

  get isLeader(): boolean {
    return this.lastJoin?.leader === this.memberId;
  }

  /** Joins, with the second step if the first one only told the id. */
  async join(options: { readonly signal?: AbortSignal } = {}): Promise<JoinGroupResult> {
    let result = await this.joinOnce(options);
    if (result.error === 'MEMBER_ID_REQUIRED') result = await this.joinOnce(options);
    return result;
  }

  async joinOnce(options: { readonly signal?: AbortSignal } = {}): Promise<JoinGroupResult> {
    const request = { ...this.request, memberId: this.memberId };
    const result = await this.#coordinator.joinGroup(request, options);
    this.lastJoin = result;
    if (result.error === 'NONE' || result.error === 'MEMBER_ID_REQUIRED') {
      this.memberId = result.memberId;
    }
    if (result.error === 'NONE') this.generationId = result.generationId;
    return result;
  }

  sync(options: { readonly signal?: AbortSignal } = {}): Promise<SyncGroupResult> {
    const members = this.lastJoin?.members ?? [];
    return this.#coordinator.syncGroup(
      {
        groupId: this.request.groupId,
        generationId: this.generationId,
        memberId: this.memberId,
        groupInstanceId: this.request.groupInstanceId,
        protocolType: this.request.protocolType,
        protocolName: this.lastJoin?.protocolName,
        requiresProtocol: true,
        assignments: members.map(({ memberId }) => ({
          memberId,
          assignment: Buffer.from(`for ${memberId}`),
        })),
      },
      options,
    );
  }

  heartbeat(overrides: { readonly generationId?: number } = {}): GroupErrorName {
    return this.#coordinator.heartbeat({
      groupId: this.request.groupId,
      memberId: this.memberId,
      generationId: overrides.generationId ?? this.generationId,
      groupInstanceId: this.request.groupInstanceId,
    });
  }

  leave(): GroupErrorName {
    const { groupId, groupInstanceId } = this.request;
    const members = [{ memberId: this.memberId, groupInstanceId }];
    return this.#coordinator.leaveGroup({ groupId, members }).members[0]?.error ?? 'NONE';
  }

  async commit(
    offset: number,
    overrides: { readonly generationId?: number; readonly partition?: number } = {},
  ): Promise<GroupErrorName> {
    const result = await this.#coordinator.commitOffsets({
      groupId: this.request.groupId,
      memberId: this.memberId,
      groupInstanceId: this.request.groupInstanceId,
      generationId: overrides.generationId ?? this.generationId,
      topics: [{ name: 'topic', partitions: [{ index: overrides.partition ?? 0, offset }] }],
    });
    return result.topics[0]?.partitions[0]?.error ?? 'NONE';
  }

  async committed(partition = 0): Promise<number> {
    const { groupId } = this.request;
    const topics = [{ name: 'topic', partitions: [partition] }];
    const result = await this.#coordinator.fetchOffsets({ groupId, topics });
    return result.topics[0]?.partitions[0]?.offset ?? Number.NaN;
  }
}

/** Protocols whose metadata is a subscription to `topic`. */
export function protocols(...names: readonly string[]): MemberProtocol[] {
  return names.map((name) => ({ name, metadata: subscription('topic') }));
}

/** A ConsumerProtocolSubscription of version 1, as librdkafka sends it. */
export function subscription(...topics: readonly string[]): Buffer {
  const parts = [Buffer.from([0, 1]), int32(topics.length)];
  for (const topic of topics) {
    const name = Buffer.from(topic);
    parts.push(Buffer.from([name.length >> 8, name.length & 0xff]), name);
  }
  return Buffer.concat([...parts, int32(-1), int32(0)]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A commit by somebody who is no member: an administrator, or a consumer that assigns partitions. */
export function simpleCommit(
  partitions: readonly OffsetCommitPartition[],
  overrides: Partial<OffsetCommitRequest> = {},
): OffsetCommitRequest {
  return {
    groupId: 'group',
    generationId: -1,
    memberId: '',
    topics: [{ name: 'topic', partitions }],
    ...overrides,
  };
}

/** Commits as nobody in particular, and answers the error. */
export async function commitError(
  fixture: GroupFixture,
  overrides: Partial<OffsetCommitRequest> = {},
): Promise<string | undefined> {
  const result = await fixture.coordinator.commitOffsets(
    simpleCommit([{ index: 0, offset: 1 }], overrides),
  );
  return result.topics[0]?.partitions[0]?.error;
}
