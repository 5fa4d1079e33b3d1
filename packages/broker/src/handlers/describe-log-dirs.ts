import {
  type DescribeLogDirsRequest,
  type DescribeLogDirsResponseTopic,
  describeLogDirsApi,
  ErrorCode,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { Topic } from '../topics/topic.ts';
import type { TopicManager } from '../topics/topic-manager.ts';
import { advertisedVersions } from './versions.ts';

/** Bytes of a volume. */
export interface VolumeSpace {
  readonly totalBytes: number;
  readonly usableBytes: number;
}

/** What the handler needs. */
export interface DescribeLogDirsServices {
  readonly topics: TopicManager;
  /** Path of the log directory as clients see it. */
  readonly logDirectory: string;
  /** Space of the volume with the log directory; -1 for what is not known. */
  readonly space: () => Promise<VolumeSpace>;
}

/** Tells how much of the disk each partition takes. */
export function describeLogDirsHandler(services: DescribeLogDirsServices): Handler {
  return defineHandler({
    api: describeLogDirsApi,
    versions: advertisedVersions(describeLogDirsApi),
    async handle(request) {
      const { topics, logDirectory, space } = services;
      const { totalBytes, usableBytes } = await space();
      return {
        throttleTimeMs: 0,
        errorCode: ErrorCode.NONE,
        results: [
          {
            errorCode: ErrorCode.NONE,
            logDir: logDirectory,
            topics: sizesOf(request, topics),
            totalBytes,
            usableBytes,
          },
        ],
      };
    },
  });
}

function sizesOf(
  request: DescribeLogDirsRequest,
  topics: TopicManager,
): DescribeLogDirsResponseTopic[] {
  if (request.topics === null) return topics.all().map((topic) => sizes(topic, () => true));
  return request.topics.flatMap(({ topic: name, partitions }) => {
    const topic = topics.byName(name);
    const wanted = new Set(partitions);
    return topic === undefined ? [] : [sizes(topic, (index) => wanted.has(index))];
  });
}

function sizes(topic: Topic, isWanted: (index: number) => boolean): DescribeLogDirsResponseTopic {
  return {
    name: topic.name,
    partitions: topic.partitions
      .filter(({ index }) => isWanted(index))
      .map(({ index, log }) => ({
        partitionIndex: index,
        partitionSize: log.sizeInBytes,
        offsetLag: 0,
        isFutureKey: false,
      })),
  };
}
