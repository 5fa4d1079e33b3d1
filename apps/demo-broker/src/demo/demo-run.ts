import type { Broker } from '@logloft/broker';
import type { Clock } from '@logloft/clock';
import type { Admin, Kafka } from 'kafkajs';
import { printByteSize } from '../command-line/byte-size.ts';
import { consume } from './consume.ts';
import { type ContentDigest, combinedHex } from './content-digest.ts';
import { demoTopicConfigs } from './demo-broker.ts';
import { DemoFailure } from './demo-failure.ts';
import type { Input } from './input-files.ts';
import type { StoreMeters } from './metered-store.ts';
import { PLAN } from './plan.ts';
import { type Produced, produce } from './produce.ts';
import { Progress, type ProgressScreen } from './progress.ts';
import { changeWriteQuota, describeWriteQuota, WRITE_QUOTA } from './quota-story.ts';
import { type DemoResult, type LimitedPhase, phaseLine } from './summary.ts';
import { type PartitionTiers, tiersOf } from './tiers.ts';
import { pause } from './waiting.ts';

/** What a run of the demo works with. */
export interface DemoContext {
  readonly broker: Broker;
  readonly kafka: Kafka;
  readonly clock: Clock;
  readonly meters: StoreMeters;
  readonly screen: ProgressScreen;
  readonly signal: AbortSignal;
}

const POLL_MS = 100;

/** Data goes in, to the remote tier, and comes back: step by step, all of it through real clients. */
export class DemoRun {
  readonly #context: DemoContext;
  readonly #input: Input;
  readonly #progress: Progress;
  #title = 'starting';
  #sentBytes = 0;
  #receivedRecords = 0;

  constructor(context: DemoContext, input: Input) {
    this.#context = context;
    this.#input = input;
    this.#progress = new Progress({
      clock: context.clock,
      screen: context.screen,
      view: () => ({ title: this.#title, partitions: this.#tiers(), footer: this.#footer() }),
    });
  }

  /**
   * Runs it all and compares.
   *
   * @throws DemoFailure when something did not hold
   */
  async run(): Promise<DemoResult> {
    const admin = this.#context.kafka.admin();
    await admin.connect();
    try {
      await this.#createTopic(admin);
      this.#progress.start();
      return await this.#story(admin);
    } finally {
      this.#progress.stop();
      await admin.disconnect();
    }
  }

  async #story(admin: Admin): Promise<DemoResult> {
    const { clock, meters } = this.#context;
    const produced = await this.#produceUnderLowQuota(admin);
    const records = produced.records.reduce((sum, count) => sum + count, 0);
    const raisedMs = await this.#raiseQuota(admin);
    await this.#awaitTiered();
    const tieredMs = clock.monotonic();
    const segmentsTiered = this.#tiers().reduce((sum, { remote }) => sum + remote.segments, 0);
    if (segmentsTiered === 0) {
      throw new DemoFailure('No segment was closed, so none was tiered.');
    }
    const received = await this.#readBack(produced.records);
    const readMs = clock.monotonic();
    this.#progress.stop();
    this.#compare(produced, received);
    this.#summarize([
      this.#writePhase('copying, low limit', PLAN.lowWriteLimit, [0, raisedMs]),
      this.#writePhase('copying, raised limit', PLAN.highWriteLimit, [raisedMs, tieredMs]),
      {
        name: 'cold reads',
        meter: meters.segmentsRead,
        limit: PLAN.readLimit,
        fromMs: tieredMs,
        toMs: readMs,
        largestStep: PLAN.segmentBytes * PLAN.partitions,
      },
    ]);
    return { records, segmentsTiered, remoteBytesRead: meters.segmentsRead.total };
  }

  async #createTopic(admin: Admin): Promise<void> {
    const configEntries = Object.entries(demoTopicConfigs()).map(([name, value]) => ({
      name,
      value,
    }));
    const { topic, partitions: numPartitions } = PLAN;
    await admin.createTopics({ topics: [{ topic, numPartitions, configEntries }] });
    const told = configEntries.map(({ name, value }) => `${name}=${value}`).join(' ');
    this.#progress.say(`Topic ${topic}, ${numPartitions} partitions: ${told}`);
  }

  async #produceUnderLowQuota(admin: Admin): Promise<Produced> {
    const { broker, clock, kafka, meters, signal } = this.#context;
    const limit = await describeWriteQuota({ admin, nodeId: broker.nodeId });
    this.#progress.say(
      `1. A kafkajs producer sends ${this.#input.files.length} files; ${WRITE_QUOTA}=${limit} holds the copies back`,
    );
    this.#title = 'producing, copies held back';
    const produced = await produce({
      kafka,
      topic: PLAN.topic,
      partitions: PLAN.partitions,
      files: this.#input.files,
      onProgress: (bytes) => {
        this.#sentBytes += bytes;
      },
      signal,
    });
    const first = meters.segmentsWritten.firstMs ?? clock.monotonic();
    while (clock.monotonic() < first + PLAN.lowPhaseMs && !this.#isTiered()) {
      await pause(clock, POLL_MS, signal);
    }
    return produced;
  }

  async #raiseQuota(admin: Admin): Promise<number> {
    const { broker, clock } = this.#context;
    await changeWriteQuota({ admin, nodeId: broker.nodeId }, PLAN.highWriteLimit);
    this.#title = 'copying at the raised limit';
    this.#progress.say(
      `2. A kafkajs admin client raises it to ${PLAN.highWriteLimit} on node ${broker.nodeId}, live`,
    );
    return clock.monotonic();
  }

  async #awaitTiered(): Promise<void> {
    const { clock, signal } = this.#context;
    while (!this.#isTiered()) await pause(clock, POLL_MS, signal);
    this.#progress.say(
      '3. All closed segments are in the remote tier and gone from the local disk',
    );
  }

  async #readBack(records: readonly number[]): Promise<readonly ContentDigest[]> {
    const { clock, kafka, signal } = this.#context;
    const groupId = `readers-${clock.now()}`;
    this.#progress.say(`4. A kafkajs consumer of the fresh group ${groupId} reads from offset 0`);
    this.#title = 'reading back under the read quota';
    return await consume({
      kafka,
      topic: PLAN.topic,
      groupId,
      records,
      onProgress: (count) => {
        this.#receivedRecords += count;
      },
      signal,
    });
  }

  #compare(produced: Produced, received: readonly ContentDigest[]): void {
    for (const [partition, digest] of produced.digests.entries()) {
      const got = received[partition]?.hex();
      if (got === digest.hex()) continue;
      throw new DemoFailure(
        `Partition ${partition} came back changed: sha256 ${digest.hex()} went in, ${got} came out.`,
      );
    }
    this.#progress.say('');
    this.#progress.say(`  sha256 in   ${combinedHex(produced.digests)}`);
    this.#progress.say(`  sha256 out  ${combinedHex(received)}`);
  }

  #summarize(phases: readonly LimitedPhase[]): void {
    for (const phase of phases) this.#progress.say(phaseLine(phase));
    this.#progress.say(
      '  Bytes of segments, counted at the store. A quota holds over its window, so a short burst may pass its limit.',
    );
  }

  #writePhase(name: string, limit: number, [from, toMs]: readonly [number, number]): LimitedPhase {
    const meter = this.#context.meters.segmentsWritten;
    const fromMs = Math.max(from, meter.firstMs ?? 0);
    return { name, meter, limit, fromMs, toMs, largestStep: PLAN.segmentBytes };
  }

  #tiers(): PartitionTiers[] {
    return tiersOf(this.#context.broker, PLAN.topic, PLAN.partitions);
  }

  #isTiered(): boolean {
    return this.#tiers().every((partition) => partition.isTiered);
  }

  #footer(): string {
    const { segmentsWritten, segmentsRead } = this.#context.meters;
    return [
      `sent ${printByteSize(this.#sentBytes)}`,
      `copied ${printByteSize(segmentsWritten.total)}`,
      `read cold ${printByteSize(segmentsRead.total)}`,
      `received ${this.#receivedRecords} records`,
    ].join(', ');
  }
}
