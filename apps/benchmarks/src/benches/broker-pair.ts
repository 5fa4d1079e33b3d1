import { join } from 'node:path';
import type { InitialTopic } from '@logloft/broker';
import { Child } from '../harness/child.ts';
import { formatProfile } from '../harness/profile-summary.ts';
import type { Measured } from '../harness/rounds.ts';
import { ScratchDirectory } from '../harness/scratch.ts';
import { cpuMicrosBetween, type Usage } from '../harness/usage.ts';
import type { FrameGeneratorCommands } from '../peers/frame-generator.ts';
import type { LoadResult } from '../peers/load.ts';
import type { LogloftBrokerCommands } from '../peers/logloft-broker.ts';
import type { MicroBrokerCommands } from '../peers/micro-broker.ts';

/** The topic of all benches. */
export const TOPIC: string = 'bench';

/** Our broker and the ceiling, each in its process, and a generator in a third. */
export class BrokerPair {
  readonly #scratch = new ScratchDirectory();
  readonly #topic: InitialTopic;
  readonly generator: Child<FrameGeneratorCommands> = new Child({ file: 'frame-generator.js' });
  readonly ours: Child<LogloftBrokerCommands> = new Child({ file: 'logloft-broker.js' });
  readonly micro: Child<MicroBrokerCommands> = new Child({ file: 'micro-broker.js' });
  #ports = { ours: 0, micro: 0 };

  private constructor(partitions: number) {
    // Files that are removed go at once: the next round gets their memory.
    this.#topic = { name: TOPIC, partitions, configs: { 'file.delete.delay.ms': '0' } };
  }

  static async start(partitions: number): Promise<BrokerPair> {
    const pair = new BrokerPair(partitions);
    try {
      await pair.#start();
    } catch (error) {
      await pair.end();
      throw error;
    }
    return pair;
  }

  portOf(name: 'ours' | 'micro'): number {
    return this.#ports[name];
  }

  /** Both logs are empty afterwards. */
  async clear(name: 'ours' | 'micro'): Promise<void> {
    if (name === 'micro') await this.micro.call('clear');
    else await this.ours.call('clear', this.#topic);
  }

  usage(name: 'ours' | 'micro'): Promise<Usage> {
    return name === 'ours' ? this.ours.call('usage') : this.micro.call('usage');
  }

  /** Runs a load and adds what the server used meanwhile. */
  async measure(name: 'ours' | 'micro', load: () => Promise<LoadResult>): Promise<Measured> {
    const before = await this.usage(name);
    const result = await load();
    const after = await this.usage(name);
    const micros = cpuMicrosBetween(before, after);
    return {
      'MB/s': result.bytes / 1000 / result.elapsedMs,
      'req/s': (result.requests * 1000) / result.elapsedMs,
      'CPU ms/GB': micros / 1000 / (result.bytes / 1e9),
      'CPU us/req': micros / result.requests,
      'p50 ms': result.latency.p50,
      'p99 ms': result.latency.p99,
      'RSS MB': after.rssBytes / 1e6,
    };
  }

  /** Runs `load` once more under the profiler; lines that say where our broker's time went. */
  async profile(
    title: string,
    directory: string | undefined,
    load: () => Promise<unknown>,
  ): Promise<string[]> {
    const name = `${title.replace(/[^a-z0-9]+/gi, '-')}.cpuprofile`;
    await this.ours.call('startProfile');
    await load();
    const summary = await this.ours.call(
      'stopProfile',
      directory === undefined ? undefined : join(directory, name),
    );
    return ['', ...formatProfile(title, summary)];
  }

  async end(): Promise<void> {
    await Promise.all([this.generator.end(), this.ours.end(), this.micro.end()]);
    this.#scratch.remove();
  }

  async #start(): Promise<void> {
    const directory = join(this.#scratch.path, 'ours');
    const topics = [this.#topic];
    this.#ports = {
      ours: await this.ours.call('start', { directory, topics }),
      micro: await this.micro.call('start', {
        directory: join(this.#scratch.path, 'micro'),
        topic: TOPIC,
        partitions: this.#topic.partitions ?? 1,
      }),
    };
  }
}
