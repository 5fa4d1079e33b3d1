/** Why a list of replicas cannot be served by the one broker there is; `undefined` when it can. */
export function replicasProblem(brokerIds: readonly number[], nodeId: number): string | undefined {
  if (brokerIds.length === 1 && brokerIds[0] === nodeId) return undefined;
  return `Expected the replicas [${nodeId}], this broker alone, got [${brokerIds.join(', ')}].`;
}
