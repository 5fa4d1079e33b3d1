import { subscribedTopicsOf } from './consumer-subscription.ts';
import type { Deadline } from './deadline.ts';
import type { GroupErrorName } from './group-error.ts';
import { assertTransition, type GroupState } from './group-state.ts';
import type { Member, MemberDetails } from './member.ts';
import type { JoinedMember } from './membership-requests.ts';
import { selectProtocol } from './protocol-selection.ts';

/** The protocol type of consumers; the metadata of its members is a subscription. */
export const CONSUMER_PROTOCOL_TYPE = 'consumer';

/** Who a request says it is from. */
export interface MemberIdentity {
  readonly memberId: string;
  readonly groupInstanceId?: string | null | undefined;
}

/** What a group that comes back from the log starts with. */
export interface RestoredGroup {
  readonly generationId: number;
  readonly protocolType: string | undefined;
  readonly protocolName: string | undefined;
  readonly leaderId: string | undefined;
  readonly stateSinceMs: number | undefined;
  readonly members: readonly Member[];
}

/** A classic group: its members and what holds between them. It knows of no time and answers nobody. */
export class Group {
  readonly id: string;
  /** End of the present join or sync phase; the two never run at once. */
  readonly phase: Deadline;
  readonly #members = new Map<string, Member>();
  readonly #memberIdOfInstance = new Map<string, string>();
  /** How many members support each protocol: joins must not cost more the more members there are. */
  readonly #supporters = new Map<string, number>();
  /** Ids given with MEMBER_ID_REQUIRED that have not come back yet, each with its end. */
  readonly #pending = new Map<string, Deadline>();
  /** Members of this generation that have not asked for their assignment yet. */
  readonly pendingSync: Set<string> = new Set();
  #keptBytes = 0;
  #state: GroupState = 'Empty';
  #stateSinceMs: number | undefined;
  #generationId = 0;
  #protocolType: string | undefined;
  #protocolName: string | undefined;
  #leaderId: string | undefined;
  #subscribedTopics: ReadonlySet<string> | undefined;
  /** The present rebalance is the first of an empty group: it gathers members for a while. */
  isInitialRebalance = false;
  /** How long the initial rebalance may still be extended, in ms. */
  initialExtensionLeftMs = 0;
  /** Somebody came in since the initial rebalance was last extended. */
  gathersNewMembers = false;
  /** The generation whose assignments are being written to the log. */
  persistingGeneration: number | undefined;

  constructor(id: string, phaseEnd: (group: Group) => Deadline) {
    this.id = id;
    this.phase = phaseEnd(this);
  }

  get state(): GroupState {
    return this.#state;
  }

  /** Wall-clock ms of the last change of state that matters for retention, if it is known. */
  get stateSinceMs(): number | undefined {
    return this.#stateSinceMs;
  }

  get generationId(): number {
    return this.#generationId;
  }

  get protocolType(): string | undefined {
    return this.#protocolType;
  }

  get protocolName(): string | undefined {
    return this.#protocolName;
  }

  /** In the join phase this may still be a member that is gone; its end elects one that is there. */
  get leaderId(): string | undefined {
    return this.#leaderId;
  }

  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  get pendingMemberCount(): number {
    return this.#pending.size;
  }

  /** Bytes that are kept for the members and that clients chose. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Members whose JoinGroup is parked. */
  get joinedCount(): number {
    let count = 0;
    for (const member of this.#members.values()) if (member.parkedJoin !== undefined) count += 1;
    return count;
  }

  /** Whether the join phase has nobody left to wait for. */
  get everybodyJoined(): boolean {
    if (this.#pending.size > 0) return false;
    for (const member of this.#members.values()) if (member.parkedJoin === undefined) return false;
    return true;
  }

  /** The largest rebalance timeout of all members, in ms. */
  get rebalanceTimeoutMs(): number {
    let longest = 0;
    for (const { details } of this.#members.values()) {
      longest = Math.max(longest, details.rebalanceTimeoutMs);
    }
    return longest;
  }

  transitionTo(state: GroupState, nowMs: number): void {
    assertTransition(this.#state, state);
    this.#state = state;
    this.#stateSinceMs = nowMs;
  }

  /** Takes over what the log says. Only for a group that is new. */
  restore(restored: RestoredGroup): void {
    for (const member of restored.members) {
      member.isNew = false;
      this.add(member, restored.protocolType ?? '');
    }
    this.#generationId = restored.generationId;
    this.#protocolType = restored.protocolType;
    this.#protocolName = restored.protocolName;
    if (restored.leaderId !== undefined && this.#members.has(restored.leaderId)) {
      this.#leaderId = restored.leaderId;
    }
    this.#state = restored.members.length === 0 ? 'Empty' : 'Stable';
    this.#stateSinceMs = restored.stateSinceMs;
    this.#subscribedTopics = this.#computeSubscribedTopics();
  }

  /** The first member of a group decides on its protocol type, and leads until a better one is found. */
  add(member: Member, protocolType: string): void {
    if (this.#members.size === 0) this.#protocolType = protocolType;
    this.#leaderId ??= member.id;
    this.#members.set(member.id, member);
    if (member.instanceId !== null) this.#memberIdOfInstance.set(member.instanceId, member.id);
    this.#account(member, 1);
  }

  /** Takes over what a member says of itself when it joins again. */
  update(member: Member, details: Omit<MemberDetails, 'id' | 'instanceId'>): void {
    this.#account(member, -1);
    member.details = { ...member.details, ...details };
    this.#account(member, 1);
  }

  /** Gives a member its assignment of this generation. */
  assign(member: Member, assignment: Buffer): void {
    this.#account(member, -1);
    member.assignment = assignment;
    this.#account(member, 1);
  }

  remove(member: Member): void {
    this.#account(member, -1);
    this.#members.delete(member.id);
    this.pendingSync.delete(member.id);
    const { instanceId } = member;
    if (instanceId !== null && this.#memberIdOfInstance.get(instanceId) === member.id) {
      this.#memberIdOfInstance.delete(instanceId);
    }
  }

  /** Gives a static member a new id in its old place; it stays leader if it was. */
  changeMemberId(member: Member, newId: string): void {
    const oldId = member.id;
    const entries = [...this.#members.values()];
    member.details = { ...member.details, id: newId };
    this.#members.clear();
    for (const entry of entries) this.#members.set(entry.id, entry);
    if (member.instanceId !== null) this.#memberIdOfInstance.set(member.instanceId, newId);
    if (this.pendingSync.delete(oldId)) this.pendingSync.add(newId);
    if (this.#leaderId === oldId) this.#leaderId = newId;
  }

  staticMember(instanceId: string): Member | undefined {
    const id = this.#memberIdOfInstance.get(instanceId);
    return id === undefined ? undefined : this.#members.get(id);
  }

  /** The member that a request is from, or why it is from none. */
  identify(identity: MemberIdentity): Member | GroupErrorName {
    const { memberId, groupInstanceId } = identity;
    if (groupInstanceId !== undefined && groupInstanceId !== null) {
      const member = this.staticMember(groupInstanceId);
      if (member === undefined) return 'UNKNOWN_MEMBER_ID';
      return member.id === memberId ? member : 'FENCED_INSTANCE_ID';
    }
    return this.#members.get(memberId) ?? 'UNKNOWN_MEMBER_ID';
  }

  expectMember(memberId: string, end: Deadline): void {
    this.#pending.set(memberId, end);
  }

  isExpected(memberId: string): boolean {
    return this.#pending.has(memberId);
  }

  /** @returns whether the id was pending */
  forgetExpected(memberId: string): boolean {
    this.#pending.get(memberId)?.cancel();
    return this.#pending.delete(memberId);
  }

  /** Whether a member with these protocols can be in one group with the others. */
  supports(
    protocolType: string,
    protocolNames: readonly string[],
    options: { readonly except?: Member | undefined } = {},
  ): boolean {
    if (protocolType === '' || protocolNames.length === 0) return false;
    if (this.#members.size === 0) return true;
    if (protocolType !== this.#protocolType) return false;
    const { except } = options;
    const others = this.#members.size - (except === undefined ? 0 : 1);
    const own = new Set(except?.protocolNames);
    const supportersOf = (name: string): number =>
      (this.#supporters.get(name) ?? 0) - (own.has(name) ? 1 : 0);
    return others === 0 || protocolNames.some((name) => supportersOf(name) === others);
  }

  /** The protocol that the present members would choose. */
  selectProtocol(): string | undefined {
    return selectProtocol([...this.#members.values()]);
  }

  /** Keeps the leader if it has joined, else makes the first that has joined the leader. */
  electJoinedLeader(): boolean {
    const leader = this.#leaderId === undefined ? undefined : this.#members.get(this.#leaderId);
    if (leader?.parkedJoin !== undefined) return true;
    for (const member of this.#members.values()) {
      if (member.parkedJoin === undefined) continue;
      this.#leaderId = member.id;
      return true;
    }
    return false;
  }

  /** Starts the next generation with the present members. */
  startGeneration(nowMs: number): void {
    this.#generationId = this.#generationId === 2_147_483_647 ? 1 : this.#generationId + 1;
    this.pendingSync.clear();
    if (this.#members.size === 0) {
      this.#protocolName = undefined;
      this.#leaderId = undefined;
      this.transitionTo('Empty', nowMs);
    } else {
      this.#protocolName = this.selectProtocol();
      this.transitionTo('CompletingRebalance', nowMs);
    }
    this.#subscribedTopics = this.#computeSubscribedTopics();
  }

  /** Leaves a rebalance that nobody takes part in any more and that made no generation. */
  abandonRebalance(nowMs: number): void {
    this.#leaderId = undefined;
    this.transitionTo('Empty', nowMs);
  }

  /** All members with the metadata for the chosen protocol, as the leader needs them. */
  describeForLeader(): readonly JoinedMember[] {
    const protocolName = this.#protocolName ?? '';
    return [...this.#members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.instanceId,
      metadata: member.metadataFor(protocolName),
    }));
  }

  /**
   * Whether the members of this generation read a topic, as far as the coordinator can tell: `false`
   * for groups that are not of consumers or whose metadata it cannot read.
   */
  isSubscribedTo(topic: string): boolean {
    return this.#subscribedTopics?.has(topic) ?? false;
  }

  /** Whether {@link Group.isSubscribedTo} is more than a guess. */
  get knowsSubscriptions(): boolean {
    return this.#subscribedTopics !== undefined;
  }

  /** Leaves no timer behind. */
  dispose(): void {
    this.phase.cancel();
    for (const end of this.#pending.values()) end.cancel();
    this.#pending.clear();
    for (const member of this.#members.values()) member.session.cancel();
  }

  #account(member: Member, sign: 1 | -1): void {
    this.#keptBytes += sign * member.keptBytes;
    for (const name of new Set(member.protocolNames)) {
      const supporters = (this.#supporters.get(name) ?? 0) + sign;
      if (supporters > 0) this.#supporters.set(name, supporters);
      else this.#supporters.delete(name);
    }
  }

  #computeSubscribedTopics(): ReadonlySet<string> | undefined {
    if (this.#protocolType !== CONSUMER_PROTOCOL_TYPE) return undefined;
    const topics = new Set<string>();
    for (const member of this.#members.values()) {
      const own = subscribedTopicsOf(member.metadataFor(this.#protocolName ?? ''));
      if (own === undefined) return undefined;
      for (const topic of own) topics.add(topic);
    }
    return topics;
  }
}
