import { createTopicsApi, ErrorCode } from '@logloft/protocol';
import { KafkaConnection } from './kafka-connection.ts';

/** Makes a topic, with overrides by Kafka's names. @throws Error when it is refused */
export async function createTopic(
  bootstrap: string,
  name: string,
  {
    partitions = 1,
    configs = {},
  }: {
    readonly partitions?: number;
    readonly configs?: Readonly<Record<string, string>>;
  } = {},
): Promise<void> {
  const connection = await KafkaConnection.open(bootstrap);
  try {
    const { topics } = await connection.request(createTopicsApi, 7, {
      topics: [
        {
          name,
          numPartitions: partitions,
          replicationFactor: 1,
          assignments: [],
          configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
        },
      ],
      timeoutMs: 30_000,
      validateOnly: false,
    });
    const [topic] = topics;
    if (topic?.errorCode === ErrorCode.NONE) return;
    throw new Error(`creating ${name}: error ${topic?.errorCode} ${topic?.errorMessage ?? ''}`);
  } finally {
    connection.close();
  }
}
