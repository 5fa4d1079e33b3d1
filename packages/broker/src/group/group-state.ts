import assert from 'node:assert/strict';

/** The states of a classic consumer group, spelled as DescribeGroups and ListGroups spell them. */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead';

const NEXT_STATES: Readonly<Record<GroupState, readonly GroupState[]>> = {
  Empty: ['PreparingRebalance', 'Dead'],
  PreparingRebalance: ['CompletingRebalance', 'Empty'],
  CompletingRebalance: ['Stable', 'PreparingRebalance'],
  Stable: ['PreparingRebalance'],
  Dead: [],
};

/** Fails when a group must not go from one state to the other; that would be a bug of ours. */
export function assertTransition(from: GroupState, to: GroupState): void {
  assert(NEXT_STATES[from].includes(to), `a group must not go from ${from} to ${to}`);
}
