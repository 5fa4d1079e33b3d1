import type { ReadLimit } from '@logloft/log';
import {
  ErrorCode,
  type FetchRequest,
  type FetchRequestTopic,
  type FetchResponse,
  type FetchResponsePartition,
  fetchApi,
} from '@logloft/protocol';
import { defineHandler, type Handler, type RequestContext } from '../dispatch/handler.ts';
import {
  type FetchBounds,
  type FetchPlan,
  type FetchTarget,
  planFetch,
  releasePlan,
} from '../fetch/fetch-plan.ts';
import { type PartitionData, readPlan, readPlanNow } from '../fetch/read-plan.ts';
import type { RemoteReads } from '../fetch/remote-reads.ts';
import type { ResponseMemory } from '../fetch/response-memory.ts';
import type { DeadlineQueue } from '../purgatory/deadline-queue.ts';
import { park } from '../purgatory/parked-request.ts';
import type { BrokerStatistics } from '../statistics/broker-statistics.ts';
import type { Partition } from '../topics/partition.ts';
import { advertisedVersions } from './versions.ts';

const FIRST_TOPIC_ID_VERSION = 13;
const READ_COMMITTED = 1;
/** The epoch with which a client asks for no session, or closes the one it has (KIP-227). */
const FINAL_SESSION_EPOCH = -1;
const INITIAL_SESSION_EPOCH = 0;
const UNKNOWN_OFFSET = -1;

/** What the handler needs. */
export interface FetchServices {
  readonly deadlines: DeadlineQueue;
  readonly memory: ResponseMemory;
  readonly remote: RemoteReads;
  readonly statistics: BrokerStatistics;
  /** `fetch.max.bytes`: most bytes of any response. */
  readonly maxBytes: number;
  findPartition(topic: string, index: number): Partition | undefined;
  findPartitionById(topicId: string, index: number): Partition | undefined;
}

/**
 * Gives batches. Parks a request until it has `minBytes`, at most for `maxWaitMs`. Sessions are
 * declined, which is always allowed: clients then send the full list each time.
 */
export function fetchHandler(services: FetchServices): Handler {
  return defineHandler({
    api: fetchApi,
    versions: advertisedVersions(fetchApi),
    handle(request, context) {
      if (request.sessionId !== 0 && !endsSession(request)) {
        // The session of an earlier life of this broker.
        return respond(ErrorCode.FETCH_SESSION_ID_NOT_FOUND, []);
      }
      return new FetchOperation(request, context, services).run();
    },
  });
}

function endsSession({ sessionEpoch }: FetchRequest): boolean {
  return sessionEpoch === FINAL_SESSION_EPOCH || sessionEpoch === INITIAL_SESSION_EPOCH;
}

function respond(errorCode: number, responses: FetchResponse['responses']): FetchResponse {
  return { throttleTimeMs: 0, errorCode, sessionId: 0, responses, nodeEndpoints: [] };
}

class FetchOperation {
  readonly #request: FetchRequest;
  readonly #context: RequestContext;
  readonly #services: FetchServices;
  readonly #targets: readonly FetchTarget[];
  readonly #bounds: FetchBounds;

  constructor(request: FetchRequest, context: RequestContext, services: FetchServices) {
    this.#request = request;
    this.#context = context;
    this.#services = services;
    this.#targets = request.topics.flatMap((topic) => this.#targetsOf(topic));
    this.#bounds = {
      maxBytes: Math.min(request.maxBytes, services.maxBytes),
      limit: request.isolationLevel === READ_COMMITTED ? 'last-stable' : 'high-watermark',
      remoteReadsAllowed: () => services.remote.isAllowed(),
    };
  }

  run(): FetchResponse | Promise<FetchResponse | undefined> {
    const plan = planFetch(this.#targets, this.#bounds);
    if (!this.#isSatisfied(plan)) {
      releasePlan(plan);
      return this.#park();
    }
    const data = readPlanNow(plan, this.#readOptions(this.#context.client.gone));
    return data === undefined ? this.#readAll(plan) : this.#answer(data);
  }

  async #park(): Promise<FetchResponse | undefined> {
    const outcome = await park(this.#services.deadlines, {
      maxWaitMs: this.#request.maxWaitMs,
      watched: this.#targets.flatMap(({ partition }) =>
        partition === undefined ? [] : [partition.watchers],
      ),
      isSatisfied: () => this.#isSatisfiedNow(),
      gone: this.#context.client.gone,
    });
    if (outcome === 'client-gone') return undefined;
    return this.#readAll(planFetch(this.#targets, this.#bounds));
  }

  #isSatisfiedNow(): boolean {
    const plan = planFetch(this.#targets, this.#bounds);
    releasePlan(plan);
    return this.#isSatisfied(plan);
  }

  #isSatisfied(plan: FetchPlan): boolean {
    const { maxWaitMs, minBytes } = this.#request;
    return (
      plan.hasError ||
      plan.needsRemote ||
      plan.localBytes >= minBytes ||
      maxWaitMs <= 0 ||
      this.#targets.length === 0
    );
  }

  async #readAll(plan: FetchPlan): Promise<FetchResponse> {
    const { remote, deadlines } = this.#services;
    const { gone } = this.#context.client;
    if (!plan.needsRemote) {
      return this.#answer(await readPlan(plan, this.#targets, this.#readOptions(gone)));
    }
    // Not AbortSignal.any: Node 22 keeps a trace of each on a signal that lives on, as a connection's does.
    const ended = new AbortController();
    const end = (): void => ended.abort();
    if (gone.aborted) end();
    else gone.addEventListener('abort', end, { once: true });
    const deadline = deadlines.add({ onDeadline: end }, remote.maxWaitMs);
    try {
      return this.#answer(await readPlan(plan, this.#targets, this.#readOptions(ended.signal)));
    } finally {
      deadline.cancel();
      gone.removeEventListener('abort', end);
    }
  }

  #readOptions(signal: AbortSignal): Parameters<typeof readPlan>[2] {
    const { memory, remote, statistics } = this.#services;
    const { limit } = this.#bounds;
    return {
      memory,
      remote,
      statistics,
      limit,
      signal,
      onSent: (release) => this.#context.onSent(release),
    };
  }

  #answer(data: readonly PartitionData[]): FetchResponse {
    let next = 0;
    const responses = this.#request.topics.map(({ topic, topicId, partitions }) => ({
      topic,
      topicId,
      partitions: partitions.map(({ partition: index }) => {
        const at = next++;
        return this.#partitionAnswer(index, this.#targets[at]?.partition, data[at]);
      }),
    }));
    return respond(ErrorCode.NONE, responses);
  }

  #partitionAnswer(
    partitionIndex: number,
    partition: Partition | undefined,
    data: PartitionData | undefined,
  ): FetchResponsePartition {
    const errorCode = data?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
    // Where the log begins and ends is told with an offset out of range, too: clients reset by it.
    const log =
      errorCode === ErrorCode.NONE || errorCode === ErrorCode.OFFSET_OUT_OF_RANGE
        ? partition?.log
        : undefined;
    return {
      partitionIndex,
      errorCode,
      highWatermark: log?.highWatermark ?? UNKNOWN_OFFSET,
      lastStableOffset: log?.lastStableOffset ?? UNKNOWN_OFFSET,
      logStartOffset: log?.logStartOffset ?? UNKNOWN_OFFSET,
      divergingEpoch: data?.diverging ?? null,
      currentLeader: null,
      snapshotId: null,
      abortedTransactions: readsCommitted(this.#bounds.limit) ? [] : null,
      preferredReadReplica: -1,
      // Never null: librdkafka 2.0 does not find the end of a partition then.
      records: data?.records ?? Buffer.alloc(0),
    };
  }

  #targetsOf(topic: FetchRequestTopic): FetchTarget[] {
    const byId = this.#context.apiVersion >= FIRST_TOPIC_ID_VERSION;
    const { findPartition, findPartitionById } = this.#services;
    return topic.partitions.map((request) => ({
      request,
      partition: byId
        ? findPartitionById(topic.topicId, request.partition)
        : findPartition(topic.topic, request.partition),
      missingErrorCode: byId ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }));
  }
}

function readsCommitted(limit: ReadLimit): boolean {
  return limit === 'last-stable';
}
