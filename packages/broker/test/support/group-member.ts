import {
  type HeartbeatResponse,
  heartbeatApi,
  type JoinGroupResponse,
  joinGroupApi,
  leaveGroupApi,
  type OffsetFetchResponsePartition,
  offsetCommitApi,
  offsetFetchApi,
  type SyncGroupResponse,
  syncGroupApi,
} from '@logloft/protocol';
import type { WireClient } from './wire-client.ts';

/** How a {@link GroupMember} speaks. Versions are of JoinGroup; the others follow from its features. */
export interface MemberOptions {
  readonly group?: string;
  readonly topics?: readonly string[];
  readonly instanceId?: string | null;
  readonly joinVersion?: number;
  readonly syncVersion?: number;
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
}

/** Speaks the protocol of classic groups as raw requests, and remembers what it was told. */
export class GroupMember {
  readonly client: WireClient;
  readonly #options: MemberOptions;
  memberId = '';
  generation = -1;
  leader = '';
  members: readonly string[] = [];

  constructor(client: WireClient, options: MemberOptions = {}) {
    this.client = client;
    this.#options = options;
  }

  get group(): string {
    return this.#options.group ?? 'g';
  }

  get isLeader(): boolean {
    return this.leader === this.memberId;
  }

  /** Joins; where a member id is demanded first, a second time with it. */
  async join(): Promise<JoinGroupResponse> {
    const first = await this.joinOnce();
    return first.errorCode === 79 ? await this.joinOnce() : first;
  }

  /** Sends one JoinGroup request. */
  async joinOnce(): Promise<JoinGroupResponse> {
    const {
      joinVersion = 9,
      sessionTimeoutMs = 30_000,
      rebalanceTimeoutMs = 30_000,
    } = this.#options;
    const answer = await this.client.call(joinGroupApi, joinVersion, {
      groupId: this.group,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      memberId: this.memberId,
      groupInstanceId: this.#options.instanceId ?? null,
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: subscription(this.#options.topics ?? ['t']) }],
      reason: null,
    });
    this.memberId = answer.memberId;
    if (answer.errorCode !== 0) return answer;
    this.generation = answer.generationId;
    this.leader = answer.leader;
    this.members = answer.members.map(({ memberId }) => memberId);
    return answer;
  }

  /** Syncs; the leader gives each member its own id as the assignment. */
  sync(): Promise<SyncGroupResponse> {
    const { syncVersion = 5 } = this.#options;
    return this.client.call(syncGroupApi, syncVersion, {
      groupId: this.group,
      generationId: this.generation,
      memberId: this.memberId,
      groupInstanceId: this.#options.instanceId ?? null,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments: this.members.map((memberId) => ({
        memberId,
        assignment: Buffer.from(memberId),
      })),
    });
  }

  heartbeat(
    options: { readonly generation?: number; readonly version?: number } = {},
  ): Promise<HeartbeatResponse> {
    const { generation = this.generation, version = 4 } = options;
    return this.client.call(heartbeatApi, version, {
      groupId: this.group,
      generationId: generation,
      memberId: this.memberId,
      groupInstanceId: this.#options.instanceId ?? null,
    });
  }

  /** Leaves; the error that counts for this member. */
  async leave(version = 5): Promise<number> {
    const { memberId } = this;
    const answer = await this.client.call(leaveGroupApi, version, {
      groupId: this.group,
      memberId,
      members: [{ memberId, groupInstanceId: this.#options.instanceId ?? null, reason: null }],
    });
    return answer.errorCode || (answer.members[0]?.errorCode ?? 0);
  }

  commit(offset: number, options: Omit<CommitOptions, 'memberId'> = {}): Promise<number> {
    const { generation = this.generation } = options;
    return commitOffset(this.client, this.group, offset, {
      ...options,
      generation,
      memberId: this.memberId,
    });
  }
}

/** Of an offset that is committed. */
export interface CommitOptions {
  readonly topic?: string;
  readonly partition?: number;
  readonly generation?: number;
  readonly memberId?: string;
  readonly metadata?: string | null;
  readonly version?: number;
  readonly leaderEpoch?: number;
}

/** Commits one offset, by default as somebody who is in no group; the error. */
export async function commitOffset(
  client: WireClient,
  groupId: string,
  offset: number,
  options: CommitOptions = {},
): Promise<number> {
  const { topic = 't', partition = 0, generation = -1, memberId = '', metadata = '' } = options;
  const answer = await client.call(offsetCommitApi, options.version ?? 9, {
    groupId,
    generationIdOrMemberEpoch: generation,
    memberId,
    groupInstanceId: null,
    retentionTimeMs: -1,
    topics: [
      {
        name: topic,
        partitions: [
          {
            partitionIndex: partition,
            committedOffset: offset,
            committedLeaderEpoch: options.leaderEpoch ?? -1,
            commitTimestamp: -1,
            committedMetadata: metadata,
          },
        ],
      },
    ],
  });
  const code = answer.topics[0]?.partitions[0]?.errorCode;
  if (code === undefined) throw new Error('the answer lacks the partition');
  return code;
}

/** What is committed for a partition. */
export async function committed(
  client: WireClient,
  groupId: string,
  options: { readonly topic?: string; readonly partition?: number; readonly version?: number } = {},
): Promise<OffsetFetchResponsePartition> {
  const { topic = 't', partition = 0, version = 9 } = options;
  const topics = [{ name: topic, partitionIndexes: [partition] }];
  const answer = await client.call(offsetFetchApi, version, {
    groupId,
    topics,
    groups: [{ groupId, memberId: null, memberEpoch: -1, topics }],
    requireStable: true,
  });
  const found = version >= 8 ? answer.groups[0]?.topics : answer.topics;
  const first = found?.[0]?.partitions[0];
  if (first === undefined) throw new Error('the answer lacks the partition');
  return first;
}

/** A ConsumerProtocolSubscription v0 of these topics. */
function subscription(topics: readonly string[]): Buffer {
  const parts = [Buffer.from([0, 0]), int32(topics.length)];
  for (const topic of topics) parts.push(int16(Buffer.byteLength(topic)), Buffer.from(topic));
  return Buffer.concat([...parts, int32(-1)]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
