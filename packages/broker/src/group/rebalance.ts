import type { Clock } from '@logloft/clock';
import type { GroupCoordinatorSettings, GroupLogger } from './coordinator-options.ts';
import { Deadline } from './deadline.ts';
import { Group } from './group.ts';
import type { GroupDirectory } from './group-directory.ts';
import type { GroupErrorName } from './group-error.ts';
import { Member, type MemberDetails } from './member.ts';
import { joinAccepted, joinRefused, syncRefused } from './membership-answers.ts';
import type { JoinGroupResult, SyncGroupResult } from './membership-requests.ts';
import type { OffsetStore } from './offset-store.ts';
import { ParkedRequest } from './parked-request.ts';
import { persistedMetadataOf } from './persisted-group.ts';

/** Components of {@link Rebalances}. */
export interface RebalancesContext {
  readonly clock: Clock;
  readonly logger: GroupLogger;
  readonly settings: GroupCoordinatorSettings;
  readonly store: OffsetStore;
  readonly directory: () => GroupDirectory;
}

/**
 * Takes groups through their rebalances: who is waited for and how long, who is dropped, and when
 * parked requests are answered.
 */
export class Rebalances {
  readonly #context: RebalancesContext;

  constructor(context: RebalancesContext) {
    this.#context = context;
  }

  newGroup(groupId: string): Group {
    const { clock } = this.#context;
    return new Group(groupId, (group) => new Deadline(clock, () => this.#phaseEnded(group)));
  }

  newMember(group: Group, details: MemberDetails): Member {
    const { clock } = this.#context;
    return new Member(
      details,
      (member) => new Deadline(clock, () => this.#sessionEnded(group, member)),
    );
  }

  /** Waits for a member that was told its id, as long as its session would last. */
  expectMember(group: Group, memberId: string, sessionTimeoutMs: number): void {
    const end = new Deadline(this.#context.clock, () => {
      group.forgetExpected(memberId);
      this.advance(group);
      this.#context.directory().changed(group);
    });
    group.expectMember(memberId, end);
    end.restart(sessionTimeoutMs);
  }

  /** Parks a JoinGroup until the join phase is over. A member waits once: an earlier request is answered. */
  parkJoin(
    group: Group,
    member: Member,
    signal: AbortSignal | undefined,
  ): Promise<JoinGroupResult> {
    member.parkedJoin?.answer(joinRefused('REBALANCE_IN_PROGRESS', member.id));
    const parked = new ParkedRequest<JoinGroupResult>({
      signal,
      dropped: () => {
        if (member.parkedJoin === parked) this.#joinDropped(group, member);
      },
    });
    member.parkedJoin = parked;
    // A new member has no other sign of life than this request, which a client may have given up.
    if (member.isNew) member.session.restart(this.#context.settings.newMemberJoinTimeoutMs);
    else member.session.cancel();
    return parked.result;
  }

  /** Parks a SyncGroup until the leader's assignments are in the log. */
  parkSync(
    group: Group,
    member: Member,
    signal: AbortSignal | undefined,
  ): Promise<SyncGroupResult> {
    member.parkedSync?.answer(syncRefused('REBALANCE_IN_PROGRESS'));
    const parked = new ParkedRequest<SyncGroupResult>({
      signal,
      dropped: () => {
        if (member.parkedSync === parked) this.#syncDropped(group, member);
      },
    });
    member.parkedSync = parked;
    member.session.cancel();
    group.pendingSync.delete(member.id);
    return parked.result;
  }

  /** Starts a rebalance. A group that has no generation yet gathers members for a while first. */
  prepare(group: Group, reason: string): void {
    this.answerSyncs(group, () => syncRefused('REBALANCE_IN_PROGRESS'));
    group.persistingGeneration = undefined;
    group.isInitialRebalance = group.state === 'Empty';
    group.transitionTo('PreparingRebalance', this.#context.clock.now());
    this.#context.logger.info('group rebalances', {
      group: group.id,
      generation: group.generationId,
      members: group.members.size,
      reason,
    });
    if (group.isInitialRebalance) this.#gather(group, group.rebalanceTimeoutMs);
    else if (group.everybodyJoined) this.#completeJoin(group);
    else group.phase.restart(group.rebalanceTimeoutMs);
  }

  /** Ends the join phase if there is nobody left to wait for. */
  advance(group: Group): void {
    if (group.state !== 'PreparingRebalance') return;
    // The first rebalance waits for those it does not know of yet.
    if (group.isInitialRebalance && group.members.size > 0) return;
    if (group.everybodyJoined) this.#completeJoin(group);
  }

  /** Takes members out and rebalances without them. Their parked requests are answered. */
  membersGone(group: Group, members: readonly Member[], reason: string): void {
    for (const member of members) this.#detach(group, member, 'UNKNOWN_MEMBER_ID');
    if (group.state === 'Stable' || group.state === 'CompletingRebalance') {
      this.prepare(group, reason);
    } else {
      this.advance(group);
    }
  }

  /** Answers every parked SyncGroup; sessions run again from now. */
  answerSyncs(group: Group, answer: (member: Member) => SyncGroupResult): void {
    for (const member of group.members.values()) {
      const parked = member.parkedSync;
      if (parked === undefined) continue;
      member.parkedSync = undefined;
      member.touch();
      parked.answer(answer(member));
    }
  }

  /** Answers everything that is parked, and leaves no timer of the group. */
  abandon(group: Group, error: GroupErrorName): void {
    group.persistingGeneration = undefined;
    for (const member of group.members.values()) {
      member.parkedJoin?.answer(joinRefused(error, member.id));
      member.parkedSync?.answer(syncRefused(error));
      member.parkedJoin = undefined;
      member.parkedSync = undefined;
    }
    group.dispose();
  }

  #gather(group: Group, leftMs: number): void {
    const delayMs = Math.min(this.#context.settings.initialRebalanceDelayMs, leftMs);
    group.gathersNewMembers = false;
    group.initialExtensionLeftMs = leftMs - delayMs;
    group.phase.restart(delayMs);
  }

  #phaseEnded(group: Group): void {
    if (group.state === 'PreparingRebalance') {
      const isExtended =
        group.isInitialRebalance && group.gathersNewMembers && group.initialExtensionLeftMs > 0;
      if (isExtended) this.#gather(group, group.initialExtensionLeftMs);
      else this.#completeJoin(group);
    } else {
      const late = [...group.members.values()].filter(({ id }) => group.pendingSync.has(id));
      if (late.length > 0) this.membersGone(group, late, 'members did not ask for an assignment');
    }
    this.#context.directory().changed(group);
  }

  #completeJoin(group: Group): void {
    for (const member of [...group.members.values()]) {
      if (member.parkedJoin === undefined && !member.isStatic) {
        this.#detach(group, member, 'UNKNOWN_MEMBER_ID');
      }
    }
    const nowMs = this.#context.clock.now();
    if (group.members.size === 0) {
      this.#becomeEmpty(group, nowMs);
      return;
    }
    if (!group.electJoinedLeader()) {
      // Only static members are left, and none is here: they have until their sessions end.
      group.phase.restart(group.rebalanceTimeoutMs);
      return;
    }
    group.startGeneration(nowMs);
    group.phase.restart(group.rebalanceTimeoutMs);
    this.#context.logger.info('group has a new generation', {
      group: group.id,
      generation: group.generationId,
      members: group.members.size,
      protocol: group.protocolName,
    });
    for (const member of group.members.values()) this.#answerJoin(group, member);
  }

  #answerJoin(group: Group, member: Member): void {
    group.pendingSync.add(member.id);
    const parked = member.parkedJoin;
    member.parkedJoin = undefined;
    member.touch();
    if (parked === undefined) return;
    member.isNew = false;
    parked.answer(joinAccepted(group, member));
  }

  #becomeEmpty(group: Group, nowMs: number): void {
    group.phase.cancel();
    if (group.generationId === 0) {
      group.abandonRebalance(nowMs);
      return;
    }
    group.startGeneration(nowMs);
    const { store, logger } = this.#context;
    if (!store.hasMetadata(group.id)) return;
    store
      .write(group.id, { metadata: persistedMetadataOf(group) })
      .catch((cause: unknown) => {
        logger.warn('that a group is empty could not be written to the offsets log', {
          group: group.id,
          cause,
        });
      })
      .finally(() => this.#context.directory().changed(group));
  }

  #detach(group: Group, member: Member, error: GroupErrorName): void {
    group.remove(member);
    member.session.cancel();
    const { parkedJoin, parkedSync } = member;
    member.parkedJoin = undefined;
    member.parkedSync = undefined;
    parkedJoin?.answer(joinRefused(error, member.id));
    parkedSync?.answer(syncRefused(error));
  }

  #sessionEnded(group: Group, member: Member): void {
    this.membersGone(group, [member], `the session of ${member.id} timed out`);
    this.#context.directory().changed(group);
  }

  #joinDropped(group: Group, member: Member): void {
    member.parkedJoin = undefined;
    const canReturn = member.isStatic || member.idIsKnownToClient || !member.isNew;
    if (canReturn) {
      member.touch();
    } else {
      // Nobody will ever know this id: without this it would hold up the group for its first timeout.
      this.membersGone(group, [member], `${member.id} went away before it knew its id`);
    }
    this.#context.directory().changed(group);
  }

  #syncDropped(group: Group, member: Member): void {
    member.parkedSync = undefined;
    member.touch();
    group.pendingSync.add(member.id);
    if (!group.phase.isSet) group.phase.restart(group.rebalanceTimeoutMs);
  }
}
