import type { Deadline } from './deadline.ts';
import type { JoinGroupResult, MemberProtocol, SyncGroupResult } from './membership-requests.ts';
import type { ParkedRequest } from './parked-request.ts';
import type { ProtocolVoter } from './protocol-selection.ts';

/** A protocol whose metadata is the group's own copy. */
export interface KeptProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

/** What is known of a member when it comes in. */
export interface MemberDetails {
  readonly id: string;
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocols: readonly KeptProtocol[];
}

const NOTHING = Buffer.alloc(0);

/** A member of a classic group. It changes only through its group and that group's rebalances. */
export class Member implements ProtocolVoter {
  details: MemberDetails;
  assignment: Buffer = NOTHING;
  /** Until its first join is answered, nothing but that join tells that it is alive. */
  isNew = true;
  /** Whether the client can come back under this id if the answer to its first join gets lost. */
  idIsKnownToClient = false;
  parkedJoin: ParkedRequest<JoinGroupResult> | undefined;
  parkedSync: ParkedRequest<SyncGroupResult> | undefined;
  readonly session: Deadline;

  /** @param sessionEnd makes the deadline for a session of this member */
  constructor(details: MemberDetails, sessionEnd: (member: Member) => Deadline) {
    this.details = details;
    this.session = sessionEnd(this);
  }

  get id(): string {
    return this.details.id;
  }

  get instanceId(): string | null {
    return this.details.instanceId;
  }

  get isStatic(): boolean {
    return this.details.instanceId !== null;
  }

  get isParked(): boolean {
    return this.parkedJoin !== undefined || this.parkedSync !== undefined;
  }

  get protocolNames(): readonly string[] {
    return this.details.protocols.map((protocol) => protocol.name);
  }

  /** Bytes that are kept for this member and that the client chose. */
  get keptBytes(): number {
    return protocolBytes(this.details.protocols) + this.assignment.length;
  }

  /** The metadata it sent for a protocol, empty when it has none. */
  metadataFor(protocolName: string): Buffer {
    const protocol = this.details.protocols.find((candidate) => candidate.name === protocolName);
    return protocol?.metadata ?? NOTHING;
  }

  /** Whether these protocols, their order and their metadata are those it sent before. */
  hasSameProtocols(protocols: readonly MemberProtocol[]): boolean {
    const mine = this.details.protocols;
    if (mine.length !== protocols.length) return false;
    return mine.every((own, index) => {
      const other = protocols[index];
      return other !== undefined && own.name === other.name && own.metadata.equals(other.metadata);
    });
  }

  /** Restarts the session, unless a parked request is proof enough that the client is there. */
  touch(): void {
    if (!this.isParked) this.session.restart(this.details.sessionTimeoutMs);
  }
}

/** Copies what a request frame holds, which is reused once the request is answered. */
export function keepProtocols(protocols: readonly MemberProtocol[]): readonly KeptProtocol[] {
  return protocols.map(({ name, metadata }) => ({ name, metadata: keepBytes(metadata) }));
}

/** A copy of `bytes` in memory of its own, so that nothing larger is kept alive by it. */
export function keepBytes(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Bytes that keeping these protocols takes. */
export function protocolBytes(protocols: readonly MemberProtocol[]): number {
  return protocols.reduce((sum, { name, metadata }) => sum + name.length + metadata.length, 0);
}
