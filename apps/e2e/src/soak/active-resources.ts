/** What keeps the event loop going, by kind: only the kinds that the soaked packages could leave. */
export interface ActiveResources {
  readonly timeouts: number;
  readonly ports: number;
}

/** What keeps the event loop going now. */
export function activeResources(): ActiveResources {
  const kinds = process.getActiveResourcesInfo();
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  return { timeouts: count('Timeout'), ports: count('MessagePort') };
}
