import type { LogSlice, ReadLimit } from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import { logErrorCode } from '../log-error-code.ts';
import type { BrokerStatistics } from '../statistics/broker-statistics.ts';
import type { Partition } from '../topics/partition.ts';
import type { FetchPlan, FetchTarget, PartitionPlan } from './fetch-plan.ts';
import type { RemoteReads } from './remote-reads.ts';
import type { ResponseMemory } from './response-memory.ts';

/** What one partition is answered. */
export interface PartitionData {
  readonly errorCode: number;
  /** Whole batches; empty without data and on error. */
  readonly records: Buffer;
  readonly diverging?: { readonly epoch: number; readonly endOffset: number } | undefined;
}

/** How a plan is carried out. */
export interface ReadPlanOptions {
  readonly memory: ResponseMemory;
  readonly remote: RemoteReads;
  readonly statistics: BrokerStatistics;
  readonly limit: ReadLimit;
  /** Aborts when the client is gone or its time is over. */
  readonly signal: AbortSignal;
  /** Keeps memory until the response was sent. */
  readonly onSent: (release: () => void) => void;
}

const NO_RECORDS = Buffer.alloc(0);

/** Reads all that a plan holds, the slow parts side by side, and releases its slices. */
export async function readPlan(
  plan: FetchPlan,
  targets: readonly FetchTarget[],
  options: ReadPlanOptions,
): Promise<readonly PartitionData[]> {
  return await Promise.all(
    plan.partitions.map((partition, index) => readPartition(partition, targets[index], options)),
  );
}

/** Like {@link readPlan} for a plan that is all in memory; `undefined` when it is not. */
export function readPlanNow(
  plan: FetchPlan,
  options: ReadPlanOptions,
): readonly PartitionData[] | undefined {
  if (!plan.partitions.every(isImmediate)) return undefined;
  return plan.partitions.map((partition) =>
    partition.kind === 'local'
      ? readHot(partition.slice, options)
      : answerWithoutData(partition, options),
  );
}

function isImmediate(plan: PartitionPlan): boolean {
  if (plan.kind === 'remote') return false;
  return plan.kind !== 'local' || plan.slice.isHot || plan.slice.sizeInBytes === 0;
}

async function readPartition(
  plan: PartitionPlan,
  target: FetchTarget | undefined,
  options: ReadPlanOptions,
): Promise<PartitionData> {
  if (plan.kind === 'local') {
    return plan.slice.isHot ? readHot(plan.slice, options) : readCold(plan.slice, options);
  }
  const partition = target?.partition;
  if (plan.kind === 'remote' && target !== undefined && partition !== undefined) {
    return readRemote(plan, { partition, offset: target.request.fetchOffset }, options);
  }
  return answerWithoutData(plan, options);
}

function answerWithoutData(plan: PartitionPlan, { statistics }: ReadPlanOptions): PartitionData {
  if (plan.kind === 'throttled') statistics.remoteFetchesThrottled += 1;
  return withoutData(plan);
}

function withoutData(plan: PartitionPlan): PartitionData {
  switch (plan.kind) {
    case 'error':
      return { errorCode: plan.errorCode, records: NO_RECORDS };
    case 'diverging': {
      const { epoch, endOffset } = plan;
      return { errorCode: ErrorCode.NONE, records: NO_RECORDS, diverging: { epoch, endOffset } };
    }
    default:
      return { errorCode: ErrorCode.NONE, records: NO_RECORDS };
  }
}

function readHot(slice: LogSlice, { memory, onSent, statistics }: ReadPlanOptions): PartitionData {
  try {
    if (slice.sizeInBytes === 0) return { errorCode: ErrorCode.NONE, records: NO_RECORDS };
    const { buffer, release } = memory.take(slice.sizeInBytes);
    onSent(release);
    const length = slice.readInto(buffer);
    statistics.localFetchBytes += length;
    return { errorCode: ErrorCode.NONE, records: buffer.subarray(0, length) };
  } catch (error) {
    return failed(error);
  } finally {
    slice.release();
  }
}

async function readCold(slice: LogSlice, options: ReadPlanOptions): Promise<PartitionData> {
  const { memory, onSent, signal, statistics } = options;
  try {
    if (slice.sizeInBytes === 0) return { errorCode: ErrorCode.NONE, records: NO_RECORDS };
    const { buffer, release } = memory.take(slice.sizeInBytes);
    onSent(release);
    const length = await slice.readIntoAsync(buffer, { signal });
    statistics.localFetchBytes += length;
    return { errorCode: ErrorCode.NONE, records: buffer.subarray(0, length) };
  } catch (error) {
    if (signal.aborted) return { errorCode: ErrorCode.NONE, records: NO_RECORDS };
    return failed(error);
  } finally {
    slice.release();
  }
}

async function readRemote(
  plan: Extract<PartitionPlan, { readonly kind: 'remote' }>,
  at: { readonly partition: Partition; readonly offset: number },
  { remote, limit, signal, statistics }: ReadPlanOptions,
): Promise<PartitionData> {
  const { maxBytes, minOneBatch } = plan;
  const result = await remote.read({ ...at, maxBytes, minOneBatch, limit, signal });
  switch (result.kind) {
    case 'batches':
      statistics.remoteFetchBytes += result.records.length;
      return { errorCode: ErrorCode.NONE, records: result.records };
    case 'error':
      return { errorCode: result.errorCode, records: NO_RECORDS };
    case 'nothing-yet':
      return { errorCode: ErrorCode.NONE, records: NO_RECORDS };
  }
}

/** @throws `error` itself when it is not one that a read can cause */
function failed(error: unknown): PartitionData {
  const errorCode = logErrorCode(error);
  if (errorCode === undefined) throw error;
  return { errorCode, records: NO_RECORDS };
}
