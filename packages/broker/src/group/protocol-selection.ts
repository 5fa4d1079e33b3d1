/** What a vote needs to know of a member: the names it supports, the one it prefers first. */
export interface ProtocolVoter {
  readonly protocolNames: readonly string[];
}

/** The protocols that every member supports. Empty when there is no member. */
export function commonProtocols(members: Iterable<ProtocolVoter>): Set<string> {
  let common: Set<string> | undefined;
  for (const member of members) {
    const known: Set<string> | undefined = common;
    common = new Set(member.protocolNames.filter((name) => known?.has(name) ?? true));
  }
  return common ?? new Set();
}

/**
 * Chooses the protocol of a generation. Each member votes for the first protocol of its own list that
 * all support; most votes win, and of equals the one that was voted for first.
 *
 * @returns `undefined` when there is no protocol that all members support
 */
export function selectProtocol(members: readonly ProtocolVoter[]): string | undefined {
  const candidates = commonProtocols(members);
  const votes = new Map<string, number>();
  for (const member of members) {
    const vote = member.protocolNames.find((name) => candidates.has(name));
    if (vote !== undefined) votes.set(vote, (votes.get(vote) ?? 0) + 1);
  }
  let winner: string | undefined;
  let most = 0;
  for (const [name, count] of votes) {
    if (count > most) {
      winner = name;
      most = count;
    }
  }
  return winner;
}
