import type { CommittedProgress } from './committed-progress.ts';

/** What is sent, and how. */
export interface SendOptions {
  readonly topic: string;
  /** Default 0. */
  readonly partition?: number | undefined;
  readonly values: readonly string[];
  /** One of the client's codecs; default none. */
  readonly codec?: string | undefined;
  readonly idempotent?: boolean | undefined;
}

/** A member of a consumer group. */
export interface Member {
  /** Partitions that it was assigned last. */
  readonly partitions: readonly number[];
  leave(): Promise<void>;
}

/** A member to be. */
export interface MemberOptions {
  readonly name: string;
  readonly groupId: string;
  readonly topic: string;
  /** Is told what was processed and committed. */
  readonly progress: CommittedProgress;
}

/** An unmodified client library, as far as the checks of groups and round trips use it. */
export interface Client {
  readonly name: string;
  /** What it can compress with here. */
  readonly codecs: readonly string[];
  send(options: SendOptions): Promise<void>;
  /** Reads partition 0 of a topic from its beginning, in order. @returns values */
  read(topic: string, count: number): Promise<readonly string[]>;
  join(options: MemberOptions): Promise<Member>;
  /** Committed offsets by partition; -1 for none. */
  committed(groupId: string, topic: string): Promise<ReadonlyMap<number, number>>;
  close(): Promise<void>;
}
