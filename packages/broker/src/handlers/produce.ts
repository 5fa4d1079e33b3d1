// Hot path: no promise per partition beyond the one that the log shares among a turn's batches.
import type { Clock } from '@logloft/clock';
import type { AppendResult } from '@logloft/log';
import {
  ErrorCode,
  type ProduceRequest,
  type ProduceResponse,
  type ProduceResponsePartition,
  produceApi,
} from '@logloft/protocol';
import { defineHandler, type Handler, type RequestContext } from '../dispatch/handler.ts';
import { ConnectionFault } from '../network/connection.ts';
import { type AppendRefusal, refusalOf } from '../produce/append-error.ts';
import { claimsTransaction, isRefusal, producePartition } from '../produce/produce-partition.ts';
import type { BrokerStatistics } from '../statistics/broker-statistics.ts';
import type { Partition } from '../topics/partition.ts';
import { advertisedVersions } from './versions.ts';

/** First version with record batches; older ones are advertised only for clients that look at the minimum. */
const FIRST_BATCH_VERSION = 3;

/** What the handler needs. */
export interface ProduceServices {
  readonly clock: Clock;
  readonly statistics: BrokerStatistics;
  /** The partition if this broker has it. */
  findPartition(topic: string, index: number): Partition | undefined;
  /** Whether clients may write to the topic; internal ones are the broker's own. */
  isWritable(topic: string): boolean;
}

interface Outcome {
  readonly response: ProduceResponsePartition;
  readonly written: Promise<void> | undefined;
}

/** Appends batches, and answers when they are as durable as the log's flush policy promises. */
export function produceHandler(services: ProduceServices): Handler {
  return defineHandler({
    api: produceApi,
    versions: advertisedVersions(produceApi),
    handle(request, context) {
      const { acks } = request;
      const refusal = refuseRequest(request, context);
      if (refusal !== undefined) {
        const response = answerAll(request, (index) => refused(index, refusal));
        return acks === 0 ? failUnacknowledged(response) : response;
      }
      return appendAll(request, context, services);
    },
  });
}

/** What makes the request as a whole impossible, before anything is appended. */
function refuseRequest(
  request: ProduceRequest,
  { apiVersion }: RequestContext,
): AppendRefusal | undefined {
  if (apiVersion < FIRST_BATCH_VERSION) {
    return {
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      message: 'Message sets of magic 0 and 1 are not accepted (KIP-896).',
    };
  }
  if (request.acks < -1 || request.acks > 1) {
    return {
      errorCode: ErrorCode.INVALID_REQUIRED_ACKS,
      message: `acks must be -1, 0 or 1, got ${request.acks}.`,
    };
  }
  const transactional = request.topicData.some(({ partitionData }) =>
    partitionData.some(({ records }) => claimsTransaction(records)),
  );
  if (transactional || request.transactionalId !== null) {
    return {
      errorCode: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
      message: 'Transactions are not served by this broker yet.',
    };
  }
  return undefined;
}

function appendAll(
  request: ProduceRequest,
  context: RequestContext,
  services: ProduceServices,
): ProduceResponse | undefined | Promise<ProduceResponse | undefined> {
  const options = {
    apiVersion: context.apiVersion,
    acks: request.acks,
    nowMs: services.clock.now(),
  };
  const writes = new Map<ProduceResponsePartition, Promise<void>>();
  const response = answerAll(request, (index, topic, records) => {
    const partition = services.findPartition(topic, index);
    const problem = partition === undefined ? UNKNOWN_PARTITION : refuseTopic(topic, services);
    const outcome =
      partition === undefined || problem !== undefined
        ? { response: refused(index, problem ?? UNKNOWN_PARTITION), written: undefined }
        : outcomeOf(index, producePartition(partition, records, options));
    countBatch(services.statistics, outcome, records);
    if (outcome.written !== undefined) writes.set(outcome.response, outcome.written);
    return outcome.response;
  });
  if (writes.size === 0) return request.acks === 0 ? failUnacknowledged(response) : response;
  // The log refers to the frame's bytes until they are written.
  const releaseFrame = context.retainFrame();
  return settleAll(writes)
    .finally(releaseFrame)
    .then(() => (request.acks === 0 ? failUnacknowledged(response) : response));
}

function countBatch(
  statistics: BrokerStatistics,
  { written }: Outcome,
  records: Buffer | null,
): void {
  if (written === undefined) {
    statistics.batchesRefused += 1;
    return;
  }
  statistics.batchesAppended += 1;
  statistics.batchBytesAppended += records?.length ?? 0;
}

const UNKNOWN_PARTITION: AppendRefusal = Object.freeze({
  errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  message: 'This broker does not host this topic-partition.',
});

function refuseTopic(topic: string, services: ProduceServices): AppendRefusal | undefined {
  if (services.isWritable(topic)) return undefined;
  return {
    errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION,
    message: `${topic} is an internal topic, which clients cannot write to.`,
  };
}

/** Waits for all writes; a partition whose write failed gets its error. */
async function settleAll(
  writes: ReadonlyMap<ProduceResponsePartition, Promise<void>>,
): Promise<void> {
  for (const [response, written] of writes) {
    try {
      await written;
    } catch (error) {
      Object.assign(response, refused(response.index, refusalOf(error)));
    }
  }
}

function outcomeOf(index: number, outcome: AppendResult | AppendRefusal): Outcome {
  if (isRefusal(outcome)) return { response: refused(index, outcome), written: undefined };
  const { baseOffset, logAppendTimeMs, logStartOffset, written } = outcome;
  return {
    response: {
      index,
      errorCode: ErrorCode.NONE,
      baseOffset,
      logAppendTimeMs,
      logStartOffset,
      recordErrors: [],
      errorMessage: null,
      currentLeader: null,
    },
    written,
  };
}

function refused(index: number, refusal: AppendRefusal): ProduceResponsePartition {
  const { errorCode, message, recordIndex } = refusal;
  const recordErrors =
    recordIndex === undefined ? [] : [{ batchIndex: recordIndex, batchIndexErrorMessage: message }];
  return {
    index,
    errorCode,
    baseOffset: -1,
    logAppendTimeMs: -1,
    logStartOffset: -1,
    recordErrors,
    errorMessage: message,
    currentLeader: null,
  };
}

function answerAll(
  request: ProduceRequest,
  answer: (index: number, topic: string, records: Buffer | null) => ProduceResponsePartition,
): ProduceResponse {
  return {
    responses: request.topicData.map(({ name, partitionData }) => ({
      name,
      partitionResponses: partitionData.map(({ index, records }) => answer(index, name, records)),
    })),
    throttleTimeMs: 0,
    nodeEndpoints: [],
  };
}

/**
 * With `acks=0` there is no answer. A client learns of an error by its connection being closed, upon
 * which it asks for metadata again.
 */
function failUnacknowledged(response: ProduceResponse): undefined {
  for (const { name, partitionResponses } of response.responses) {
    for (const { index, errorCode, errorMessage } of partitionResponses) {
      if (errorCode !== ErrorCode.NONE) {
        throw new ConnectionFault('a produce request with acks=0 was refused', {
          topic: name,
          partition: index,
          errorCode,
          errorMessage,
        });
      }
    }
  }
  return undefined;
}
