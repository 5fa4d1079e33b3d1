import assert from 'node:assert/strict';
import type { JoinGroupResult, SyncGroupResult } from '../../src/group/membership-requests.ts';

interface CommitModel {
  issued: number;
  /** Nothing below this may be answered any more. */
  floor: number;
  readonly possible: Set<number>;
}

/** A commit or a deletion that has not been answered yet. */
export interface IssuedChange {
  readonly key: string;
  readonly value: number;
  readonly number: number;
}

const NOTHING = -1;

/**
 * What has been seen of the groups from outside, and what must hold of it whatever the clients, the
 * log and the machine do. Knows nothing of how the coordinator works.
 */
export class GroupModel {
  readonly #synced = new Map<string, number>();
  readonly #tokens = new Map<string, string>();
  /** By incarnation of the coordinator: a generation of which nobody has an assignment may be lost. */
  readonly #protocols = new Map<string, string>();
  readonly #joined = new Map<string, number>();
  readonly #commits = new Map<string, CommitModel>();
  readonly #lastDeletion = new Map<string, number>();
  incarnation = 0;

  /** Generations never go backwards, and all members of one agree on its protocol. */
  joined(groupId: string, result: JoinGroupResult): void {
    if (result.error !== 'NONE') {
      assert.equal(result.generationId, -1);
      assert.deepEqual(result.members, []);
      return;
    }
    const { generationId, memberId } = result;
    assert(generationId >= (this.#synced.get(groupId) ?? 0), 'a synced generation came again');
    const seen = `${this.incarnation} ${groupId} ${memberId}`;
    assert(generationId >= (this.#joined.get(seen) ?? 0), `${memberId} went back a generation`);
    this.#joined.set(seen, generationId);
    const generation = `${this.incarnation} ${groupId} ${generationId}`;
    const protocol = this.#protocols.get(generation) ?? result.protocolName ?? '';
    assert.equal(result.protocolName, protocol, 'two protocols in one generation');
    this.#protocols.set(generation, protocol);
    if (result.members.length > 0) {
      const ids = new Set(result.members.map((member) => member.memberId));
      assert.equal(ids.size, result.members.length, 'a member is listed twice');
      assert(ids.has(memberId), 'the leader is not among its members');
    }
  }

  /** A generation has one set of assignments, from one request of its leader. */
  synced(groupId: string, generationId: number, result: SyncGroupResult): void {
    if (result.error !== 'NONE') {
      assert.equal(result.assignment.length, 0);
      return;
    }
    const token = result.assignment.toString().split(':')[0] ?? '';
    assert.notEqual(token, '', 'a member has no assignment');
    const generation = `${groupId} ${generationId}`;
    assert.equal(this.#tokens.get(generation) ?? token, token, 'two sets of assignments');
    this.#tokens.set(generation, token);
    const highest = Math.max(generationId, this.#synced.get(groupId) ?? 0);
    this.#synced.set(groupId, highest);
  }

  /** The group was deleted by request: its generations start again. */
  groupDeleted(groupId: string): void {
    this.#synced.delete(groupId);
    for (const map of [this.#tokens, this.#protocols, this.#joined]) {
      for (const key of [...map.keys()]) {
        if (key.startsWith(`${groupId} `) || key.includes(` ${groupId} `)) map.delete(key);
      }
    }
    for (const [key, commits] of this.#commits) {
      if (!key.startsWith(`${groupId} `)) continue;
      commits.floor = NOTHING;
      commits.possible.add(NOTHING);
      this.#lastDeletion.set(key, commits.issued);
    }
  }

  /** A commit of a value above all earlier ones of this key. */
  commitIssued(groupId: string, partition: number): IssuedChange {
    const key = `${groupId} ${partition}`;
    const commits = this.#commitsOf(key);
    commits.issued += 1;
    commits.possible.add(commits.issued);
    return { key, value: commits.issued, number: commits.issued };
  }

  commitAnswered(change: IssuedChange, isAccepted: boolean): void {
    const commits = this.#commitsOf(change.key);
    if (!isAccepted) commits.possible.delete(change.value);
    const isAfterDeletion = change.number > (this.#lastDeletion.get(change.key) ?? 0);
    if (isAccepted && isAfterDeletion) commits.floor = Math.max(commits.floor, change.value);
  }

  deletionIssued(groupId: string, partition: number): void {
    const key = `${groupId} ${partition}`;
    const commits = this.#commitsOf(key);
    commits.floor = NOTHING;
    commits.possible.add(NOTHING);
    this.#lastDeletion.set(key, commits.issued);
  }

  /** What a fetch that begins now must at least see. */
  floorOf(groupId: string, partition: number): number {
    return this.#commitsOf(`${groupId} ${partition}`).floor;
  }

  fetched(groupId: string, partition: number, seen: { offset: number; floor: number }): void {
    const commits = this.#commitsOf(`${groupId} ${partition}`);
    // A deletion that was asked for meanwhile lowers what is owed.
    const owed = Math.min(seen.floor, commits.floor);
    assert(
      seen.offset >= owed,
      `offset ${seen.offset} was fetched, ${owed} was acknowledged before`,
    );
    assert(
      commits.possible.has(seen.offset),
      `offset ${seen.offset} was refused or never committed`,
    );
  }

  #commitsOf(key: string): CommitModel {
    let commits = this.#commits.get(key);
    if (commits === undefined) {
      commits = { issued: 0, floor: NOTHING, possible: new Set([NOTHING]) };
      this.#commits.set(key, commits);
    }
    return commits;
  }
}
