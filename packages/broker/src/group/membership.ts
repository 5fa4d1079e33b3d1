import type { Clock, RandomSource } from '@logloft/clock';
import { abortable } from './abortable.ts';
import type { GroupCoordinatorSettings, GroupLogger } from './coordinator-options.ts';
import type { Group } from './group.ts';
import type { GroupDirectory } from './group-directory.ts';
import type { GroupErrorName } from './group-error.ts';
import { keepBytes, keepProtocols, type Member, protocolBytes } from './member.ts';
import { newMemberId } from './member-id.ts';
import { joinAccepted, joinRefused, syncAccepted, syncRefused } from './membership-answers.ts';
import { checkJoin, decideHeartbeat, decideJoin, decideSync } from './membership-decisions.ts';
import type {
  DisconnectedMember,
  HeartbeatRequest,
  JoinGroupRequest,
  JoinGroupResult,
  LeaveGroupRequest,
  LeaveGroupResult,
  LeavingMember,
  SyncGroupRequest,
  SyncGroupResult,
} from './membership-requests.ts';
import type { OffsetStore } from './offset-store.ts';
import { persistedMetadataOf } from './persisted-group.ts';
import type { Rebalances } from './rebalance.ts';

/** Clients that are refused try again at once; one line a minute tells enough of that. */
const WARNING_INTERVAL_MS = 60_000;

/** Components of {@link Membership}. */
export interface MembershipContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: GroupLogger;
  readonly settings: GroupCoordinatorSettings;
  readonly store: OffsetStore;
  readonly directory: GroupDirectory;
  readonly rebalances: Rebalances;
}

/** Brings members in, gives them their assignments, keeps them and lets them go. */
export class Membership {
  readonly #context: MembershipContext;
  #refusals = 0;
  #nextWarningMs = Number.NEGATIVE_INFINITY;

  constructor(context: MembershipContext) {
    this.#context = context;
  }

  async join(request: JoinGroupRequest, signal: AbortSignal | undefined): Promise<JoinGroupResult> {
    const { directory, settings } = this.#context;
    const { groupId, memberId } = request;
    const problem = checkJoin(request, settings);
    if (problem !== 'NONE') return joinRefused(problem, memberId);
    const known = directory.get(groupId);
    if (known === undefined && memberId !== '') return joinRefused('UNKNOWN_MEMBER_ID', memberId);
    const group = known ?? directory.getOrCreate(groupId);
    if (group === undefined) return this.#full(groupId, memberId);
    try {
      // Not awaited here: the group is measured once the request is parked, not once it is answered.
      return this.#join(group, request, signal);
    } finally {
      directory.changed(group);
    }
  }

  async sync(request: SyncGroupRequest, signal: AbortSignal | undefined): Promise<SyncGroupResult> {
    if (request.groupId === '') return syncRefused('INVALID_GROUP_ID');
    const group = this.#context.directory.get(request.groupId);
    if (group === undefined) return syncRefused('UNKNOWN_MEMBER_ID');
    const decision = decideSync(group, request);
    if (decision.kind === 'refuse') return syncRefused(decision.error);
    const { member } = decision;
    if (decision.kind === 'answer') {
      member.touch();
      group.pendingSync.delete(member.id);
      if (group.pendingSync.size === 0) group.phase.cancel();
      this.#context.directory.changed(group);
      return syncAccepted(group, member);
    }
    const parked = this.#context.rebalances.parkSync(group, member, signal);
    if (decision.leads) this.#assign(group, request.assignments);
    return parked;
  }

  heartbeat(request: HeartbeatRequest): GroupErrorName {
    if (request.groupId === '') return 'INVALID_GROUP_ID';
    const group = this.#context.directory.get(request.groupId);
    if (group === undefined) return 'UNKNOWN_MEMBER_ID';
    const { error, member } = decideHeartbeat(group, request);
    member?.touch();
    return error;
  }

  leave(request: LeaveGroupRequest): LeaveGroupResult {
    if (request.groupId === '') return { error: 'INVALID_GROUP_ID', members: [] };
    const group = this.#context.directory.get(request.groupId);
    const members = request.members.map((leaving) => ({
      memberId: leaving.memberId,
      groupInstanceId: leaving.groupInstanceId ?? null,
      error: group === undefined ? 'UNKNOWN_MEMBER_ID' : this.#leave(group, leaving),
    }));
    if (group !== undefined) this.#context.directory.changed(group);
    return { error: 'NONE', members };
  }

  /** Takes dynamic members out whose connections are gone, if the settings say so. */
  disconnected(members: readonly DisconnectedMember[]): void {
    const { settings, directory, rebalances } = this.#context;
    if (!settings.forgetMembersOnDisconnect) return;
    for (const { groupId, memberId } of members) {
      const group = directory.get(groupId);
      if (group === undefined) continue;
      const member = group.members.get(memberId);
      this.#forgetExpected(group, memberId);
      if (member !== undefined && !member.isStatic) {
        rebalances.membersGone(group, [member], `the connection of ${memberId} was closed`);
      }
      directory.changed(group);
    }
  }

  #join(
    group: Group,
    request: JoinGroupRequest,
    signal: AbortSignal | undefined,
  ): Promise<JoinGroupResult> | JoinGroupResult {
    const { rebalances, settings } = this.#context;
    const decision = decideJoin(group, request, settings);
    switch (decision.kind) {
      case 'refuse':
        return this.#refuse(group, request, decision.error);
      case 'invite':
        return this.#invite(group, request);
      case 'add':
        return this.#add(group, request, { memberId: decision.memberId, signal });
      case 'replace':
        return this.#replace(group, request, { member: decision.member, signal });
      case 'repeat':
        decision.member.touch();
        return joinAccepted(group, decision.member);
      case 'rejoin': {
        const { member, startsRebalance } = decision;
        if (!this.#update(group, member, request)) return this.#full(group.id, request.memberId);
        const parked = rebalances.parkJoin(group, member, signal);
        if (startsRebalance) rebalances.prepare(group, `${member.id} rejoined`);
        else rebalances.advance(group);
        return parked;
      }
    }
  }

  #refuse(group: Group, request: JoinGroupRequest, error: GroupErrorName): JoinGroupResult {
    const member = group.members.get(request.memberId);
    if (error === 'GROUP_MAX_SIZE_REACHED' && member !== undefined) {
      this.#context.rebalances.membersGone(group, [member], 'the group is too large');
    }
    this.#forgetExpected(group, request.memberId);
    return joinRefused(error, request.memberId);
  }

  /** The others need not wait for somebody who cannot come in. */
  #forgetExpected(group: Group, memberId: string): void {
    if (group.forgetExpected(memberId)) this.#context.rebalances.advance(group);
  }

  #invite(group: Group, request: JoinGroupRequest): JoinGroupResult {
    const { directory, rebalances, random } = this.#context;
    if (!directory.hasRoomFor({ members: 1, bytes: 0 })) return this.#full(group.id, '');
    const memberId = newMemberId(request.clientId, random);
    rebalances.expectMember(group, memberId, request.sessionTimeoutMs);
    return joinRefused('MEMBER_ID_REQUIRED', memberId);
  }

  #add(
    group: Group,
    request: JoinGroupRequest,
    options: { readonly memberId: string | undefined; readonly signal: AbortSignal | undefined },
  ): Promise<JoinGroupResult> | JoinGroupResult {
    const { directory, rebalances, random } = this.#context;
    const { memberId, signal } = options;
    const instanceId = request.groupInstanceId ?? null;
    const isExpected = memberId !== undefined;
    const bytes = protocolBytes(request.protocols);
    if (!directory.hasRoomFor({ members: isExpected ? 0 : 1, bytes })) {
      this.#forgetExpected(group, request.memberId);
      return this.#full(group.id, request.memberId);
    }
    if (isExpected) group.forgetExpected(memberId);
    const member = rebalances.newMember(group, {
      id: memberId ?? newMemberId(instanceId ?? request.clientId, random),
      instanceId,
      ...detailsOf(request),
    });
    member.idIsKnownToClient = isExpected;
    group.add(member, request.protocolType);
    if (group.state === 'PreparingRebalance') group.gathersNewMembers = true;
    const parked = rebalances.parkJoin(group, member, signal);
    if (group.state === 'PreparingRebalance') rebalances.advance(group);
    else rebalances.prepare(group, `${member.id} joined`);
    return parked;
  }

  /**
   * A static member comes back without its id: it takes over the place of its former self, which is
   * fenced. As long as that changes nothing for the others, they are not disturbed.
   */
  #replace(
    group: Group,
    request: JoinGroupRequest,
    options: { readonly member: Member; readonly signal: AbortSignal | undefined },
  ): Promise<JoinGroupResult> | JoinGroupResult {
    const { rebalances, random } = this.#context;
    const { member, signal } = options;
    const before = { details: member.details, leaderId: group.leaderId };
    if (!this.#update(group, member, request)) return this.#full(group.id, request.memberId);
    const { parkedJoin, parkedSync } = member;
    member.parkedJoin = undefined;
    member.parkedSync = undefined;
    parkedJoin?.answer(joinRefused('FENCED_INSTANCE_ID', member.id));
    parkedSync?.answer(syncRefused('FENCED_INSTANCE_ID'));
    group.changeMemberId(member, newMemberId(member.instanceId ?? '', random));
    if (group.state === 'Stable' && group.selectProtocol() === group.protocolName) {
      member.touch();
      const answer = replacedAnswer(group, member, { request, formerLeaderId: before.leaderId });
      const written = this.#writeReplaced(group, member, { answer, formerDetails: before.details });
      return abortable(written, signal);
    }
    const parked = rebalances.parkJoin(group, member, signal);
    if (group.state === 'PreparingRebalance') rebalances.advance(group);
    else rebalances.prepare(group, `static member ${member.id} came back`);
    return parked;
  }

  async #writeReplaced(
    group: Group,
    member: Member,
    options: { readonly answer: JoinGroupResult; readonly formerDetails: Member['details'] },
  ): Promise<JoinGroupResult> {
    const { store, directory, logger } = this.#context;
    const newId = member.id;
    try {
      await store.write(group.id, { metadata: persistedMetadataOf(group) });
      return stillHolds(group, member, options.answer);
    } catch (cause) {
      logger.warn('a static member that came back could not be written to the offsets log', {
        group: group.id,
        member: newId,
        cause,
      });
      if (group.members.get(newId) === member) {
        group.changeMemberId(member, options.formerDetails.id);
        group.update(member, options.formerDetails);
      }
      return joinRefused('COORDINATOR_NOT_AVAILABLE', '');
    } finally {
      directory.changed(group);
    }
  }

  /** @returns false when what the member sends is too much to keep */
  #update(group: Group, member: Member, request: JoinGroupRequest): boolean {
    const more = protocolBytes(request.protocols) - protocolBytes(member.details.protocols);
    const isTooMuch = more > 0 && !this.#context.directory.hasRoomFor({ members: 0, bytes: more });
    if (isTooMuch) return false;
    group.update(member, detailsOf(request));
    return true;
  }

  #assign(group: Group, assignments: SyncGroupRequest['assignments']): void {
    const { store, directory, logger } = this.#context;
    const generation = group.generationId;
    group.persistingGeneration = generation;
    const kept = new Map<string, Buffer>();
    for (const { memberId, assignment } of assignments) {
      if (group.members.has(memberId)) kept.set(memberId, keepBytes(assignment));
    }
    const bytes = [...kept.values()].reduce((sum, assignment) => sum + assignment.length, 0);
    const written = directory.hasRoomFor({ members: 0, bytes })
      ? store.write(group.id, { metadata: persistedMetadataOf(group, kept) })
      : Promise.reject(new RangeError(`${bytes} bytes of assignments are more than can be kept`));
    written
      .then(
        () => this.#assigned(group, generation, kept),
        (cause: unknown) => {
          logger.warn('assignments could not be written to the offsets log', {
            group: group.id,
            generation,
            cause,
          });
          this.#assignmentFailed(group, generation);
        },
      )
      .finally(() => directory.changed(group));
  }

  #assigned(group: Group, generation: number, assignments: ReadonlyMap<string, Buffer>): void {
    // A rebalance that began in the meantime has answered everybody already.
    if (group.persistingGeneration !== generation) return;
    const { clock, rebalances } = this.#context;
    group.persistingGeneration = undefined;
    for (const member of group.members.values()) {
      group.assign(member, assignments.get(member.id) ?? Buffer.alloc(0));
    }
    group.transitionTo('Stable', clock.now());
    if (group.pendingSync.size === 0) group.phase.cancel();
    rebalances.answerSyncs(group, (member) => syncAccepted(group, member));
  }

  #assignmentFailed(group: Group, generation: number): void {
    if (group.persistingGeneration !== generation) return;
    const { rebalances } = this.#context;
    rebalances.answerSyncs(group, () => syncRefused('COORDINATOR_NOT_AVAILABLE'));
    rebalances.prepare(group, 'the assignments could not be kept');
  }

  #leave(group: Group, leaving: LeavingMember): GroupErrorName {
    const { rebalances } = this.#context;
    const instanceId = leaving.groupInstanceId ?? undefined;
    if (group.forgetExpected(leaving.memberId)) {
      rebalances.advance(group);
      return 'NONE';
    }
    // Administrators know a static member by its instance id alone.
    const isByInstance = leaving.memberId === '' && instanceId !== undefined;
    const member = isByInstance ? group.staticMember(instanceId) : group.identify(leaving);
    if (member === undefined) return 'UNKNOWN_MEMBER_ID';
    if (typeof member === 'string') return member;
    rebalances.membersGone(group, [member], `${member.id} left`);
    return 'NONE';
  }

  #full(groupId: string, memberId: string): JoinGroupResult {
    const { clock, logger } = this.#context;
    this.#refusals += 1;
    if (clock.monotonic() >= this.#nextWarningMs) {
      this.#nextWarningMs = clock.monotonic() + WARNING_INTERVAL_MS;
      logger.warn('members are refused: the coordinator is at one of its bounds', {
        group: groupId,
        refusals: this.#refusals,
      });
    }
    return joinRefused('COORDINATOR_NOT_AVAILABLE', memberId);
  }
}

function detailsOf(request: JoinGroupRequest): Omit<Member['details'], 'id' | 'instanceId'> {
  const { clientId, clientHost, sessionTimeoutMs, rebalanceTimeoutMs = -1 } = request;
  return {
    clientId,
    clientHost,
    sessionTimeoutMs,
    rebalanceTimeoutMs: rebalanceTimeoutMs < 0 ? sessionTimeoutMs : rebalanceTimeoutMs,
    protocols: keepProtocols(request.protocols),
  };
}

/** The answer that was prepared before the log was written, unless the group has moved on since. */
function stillHolds(group: Group, member: Member, answer: JoinGroupResult): JoinGroupResult {
  if (member.id !== answer.memberId) return joinRefused('FENCED_INSTANCE_ID', '');
  if (group.members.get(member.id) !== member) return joinRefused('UNKNOWN_MEMBER_ID', '');
  const isCurrent = group.generationId === answer.generationId;
  return isCurrent ? answer : joinRefused('REBALANCE_IN_PROGRESS', '');
}

/**
 * What a static member is told that came back into a stable group. A leader must not compute an
 * assignment that nobody waits for: from v9 on it can be told so, before that it is told that its
 * former self leads.
 */
function replacedAnswer(
  group: Group,
  member: Member,
  options: { readonly request: JoinGroupRequest; readonly formerLeaderId: string | undefined },
): JoinGroupResult {
  const answer = joinAccepted(group, member);
  const isLeader = group.leaderId === member.id;
  if (options.request.supportsSkipAssignment === true)
    return { ...answer, skipAssignment: isLeader };
  return { ...answer, leader: options.formerLeaderId ?? '', members: [] };
}
