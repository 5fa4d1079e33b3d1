import { ManualClock } from '@logloft/clock';
import { LogManager } from '@logloft/log';
import { expect, test } from 'vitest';
import { InternalTopic } from '../../src/internal-topics/internal-topic.ts';
import { TopicEventLog } from '../../src/tiering/topic-event-log.ts';
import { Partition } from '../../src/topics/partition.ts';

const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAQ';
const SETTINGS = {
  maxMessageBytes: 1_000_000,
  minInsyncReplicas: 1,
  timestampBeforeMaxMs: Number.POSITIVE_INFINITY,
  timestampAfterMaxMs: Number.POSITIVE_INFINITY,
  tiered: false,
  discardsRemoteData: false,
};

async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await undefined;
}

test('an event that is stored while the reading of the one before ends is not overlooked', async () => {
  const clock = new ManualClock();
  for (let between = 0; between < 60; between += 1) {
    await using logs = await LogManager.open(
      { memoryBytes: 1_000_000 },
      { configOf: () => undefined },
      { clock },
    );
    const log = logs.create('events', 0, TOPIC_ID);
    const partition = new Partition({
      topic: 'events',
      topicId: TOPIC_ID,
      index: 0,
      log,
      leaderEpoch: 0,
      settings: SETTINGS,
    });
    const topic = { name: 'events', topicId: TOPIC_ID, internal: true, partitions: [partition] };
    const events = new TopicEventLog(new InternalTopic(() => topic, clock), clock);
    const seen: string[] = [];
    const subscription = events.subscribe(0, ({ value }) => seen.push(String(value)));
    await subscription.caughtUp;
    const appended = [events.append(0, Buffer.from('a'))];
    log.flushTurn();
    await microtasks(between);
    appended.push(events.append(0, Buffer.from('b')));
    log.flushTurn();
    await Promise.all(appended);
    await microtasks(200);
    expect(seen.join(), `${between} microtasks between the two`).toBe('a,b');
    subscription.close();
  }
});
