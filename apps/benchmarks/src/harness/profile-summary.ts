/** A `.cpuprofile`, as far as it is used here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Node on top of the stack at each sample. */
  readonly samples: readonly number[];
  /** Microseconds from one sample to the next. */
  readonly timeDeltas: readonly number[];
}

/** A function as called along one path. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  readonly children?: readonly number[] | undefined;
}

/** One function's part of the busy time. */
export interface FunctionShare {
  /** `function file:line`; for native code also who called it. */
  readonly name: string;
  /** 0 to 1. */
  readonly share: number;
}

/** Where the busy time of a profile went. */
export interface ProfileSummary {
  /** Ms in which something ran. */
  readonly busyMs: number;
  /** 0 to 1: what is not busy is idle. */
  readonly busyShare: number;
  /** By self time, the largest first. */
  readonly self: readonly FunctionShare[];
  /** By self time and that of everything called, of functions outside Node's own code. */
  readonly total: readonly FunctionShare[];
  /** Self time by package or part of Node. */
  readonly areas: readonly FunctionShare[];
}

const IDLE = '(idle)';
const ROOT = '(root)';

/** Sums up a profile: who used the CPU, and under whom. */
export function summarizeProfile(profile: CpuProfile): ProfileSummary {
  const selfMicros = selfTimes(profile);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, ProfileNode>();
  for (const node of profile.nodes) {
    for (const child of node.children ?? []) parents.set(child, node);
  }
  const sums = { self: new Sums(), total: new Sums(), areas: new Sums() };
  let idle = 0;
  let busy = 0;
  for (const [id, micros] of selfMicros) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    if (node.callFrame.functionName === IDLE) {
      idle += micros;
      continue;
    }
    busy += micros;
    const path = pathOf(node, parents);
    sums.self.add(selfName(path), micros);
    sums.areas.add(areaOf(path), micros);
    for (const name of new Set(path.filter(isOurs).map(frameName))) sums.total.add(name, micros);
  }
  return {
    busyMs: busy / 1000,
    busyShare: busy / Math.max(1, busy + idle),
    self: sums.self.shares(busy),
    total: sums.total.shares(busy),
    areas: sums.areas.shares(busy),
  };
}

/** The summary as lines of text. */
export function formatProfile(title: string, summary: ProfileSummary, lines = 16): string[] {
  const list = (shares: readonly FunctionShare[]): string[] =>
    shares
      .slice(0, lines)
      .filter(({ share }) => share >= 0.005)
      .map(({ name, share }) => `    ${(share * 100).toFixed(1).padStart(5)} %  ${name}`);
  const busy = `${(summary.busyShare * 100).toFixed(0)} % busy`;
  return [
    `${title}: profile of the broker (${busy})`,
    '  by area, self time:',
    ...list(summary.areas),
    '  by function, self time:',
    ...list(summary.self),
    '  by function of ours, with all it called:',
    ...list(summary.total),
  ];
}

class Sums {
  readonly #micros = new Map<string, number>();

  add(name: string, micros: number): void {
    this.#micros.set(name, (this.#micros.get(name) ?? 0) + micros);
  }

  shares(whole: number): FunctionShare[] {
    return [...this.#micros]
      .map(([name, micros]) => ({ name, share: micros / Math.max(1, whole) }))
      .sort((a, b) => b.share - a.share);
  }
}

function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const micros = new Map<number, number>();
  for (const [i, id] of samples.entries()) {
    // The delta before a sample is the time that passed until it; what ran then is the sample before.
    micros.set(id, (micros.get(id) ?? 0) + Math.max(0, timeDeltas[i + 1] ?? 0));
  }
  return micros;
}

/** From the function itself to the outermost caller. */
function pathOf(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): ProfileNode[] {
  const path: ProfileNode[] = [];
  for (let at: ProfileNode | undefined = node; at !== undefined; at = parents.get(at.id)) {
    if (at.callFrame.functionName !== ROOT) path.push(at);
  }
  return path;
}

function selfName(path: readonly ProfileNode[]): string {
  const [top] = path;
  if (top === undefined) return ROOT;
  if (isOurs(top)) return frameName(top);
  const caller = path.find(isOurs);
  return caller === undefined ? frameName(top) : `${frameName(top)} < ${frameName(caller)}`;
}

function frameName({ callFrame }: ProfileNode): string {
  const name = callFrame.functionName === '' ? '(anonymous)' : callFrame.functionName;
  if (callFrame.url === '') return name;
  return `${name} ${shortUrl(callFrame.url)}:${callFrame.lineNumber + 1}`;
}

/** Code in files, and not in Node itself or a native function. */
function isOurs({ callFrame }: ProfileNode): boolean {
  return callFrame.url !== '' && !callFrame.url.startsWith('node:');
}

function areaOf(path: readonly ProfileNode[]): string {
  const [top] = path;
  if (top === undefined) return ROOT;
  if (isOurs(top)) return shortUrl(top.callFrame.url).replace(/\/.*/, '');
  if (top.callFrame.url !== '') return 'node (JavaScript)';
  const { functionName } = top.callFrame;
  return functionName.startsWith('(') ? functionName : `native ${functionName}`;
}

/** `log/append/log-appender.js` of any path to a file of a package. */
function shortUrl(url: string): string {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)(.*)/.exec(url);
  const name = dependency?.[1];
  if (name !== undefined && !name.startsWith('@logloft/')) return name;
  return url.replace(/^.*\/(?:packages|apps|@logloft)\//, '').replace('/dist/', '/');
}
