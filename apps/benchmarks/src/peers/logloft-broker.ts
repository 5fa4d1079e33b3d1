// The real broker in a process of its own, as somebody would embed it.
import { readdirSync } from 'node:fs';
import { type Broker, type InitialTopic, startBroker } from '@logloft/broker';
import { serveCommands } from '../harness/command.ts';
import type { ProfileSummary } from '../harness/profile-summary.ts';
import { Profiler } from '../harness/profiler.ts';
import { ownUsage, type Usage } from '../harness/usage.ts';

const LOOK_AGAIN_MS = 10;
const DELETED_WITHIN_MS = 30_000;

/** How the broker is started. */
export interface BrokerStart {
  readonly directory: string;
  readonly topics?: readonly InitialTopic[] | undefined;
  readonly config?: Readonly<Record<string, string>> | undefined;
}

const profiler = new Profiler();
let broker: Broker | undefined;

const commands = {
  /** Starts; the port. */
  async start(start: BrokerStart): Promise<number> {
    broker = await startBroker(start);
    return broker.port;
  },
  /** Removes a topic, waits until its files are gone, and makes it anew. */
  async clear(topic: InitialTopic): Promise<void> {
    const { directory } = running();
    await running().deleteTopic(topic.name);
    const deadline = Date.now() + DELETED_WITHIN_MS;
    while (directory !== undefined && hasFilesOf(directory, topic.name)) {
      if (Date.now() > deadline) throw new Error(`The files of ${topic.name} do not go away`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    await running().createTopic(topic);
  },
  usage(): Usage {
    return ownUsage();
  },
  startProfile(): Promise<void> {
    return profiler.start();
  },
  stopProfile(file: string | undefined): Promise<ProfileSummary> {
    return profiler.stop(file);
  },
};

/** What the broker's process can be told. */
export type LogloftBrokerCommands = typeof commands;

serveCommands(commands, { onEnd: () => broker?.close() });

function running(): Broker {
  if (broker === undefined) throw new Error('The broker was not started');
  return broker;
}

function hasFilesOf(directory: string, topic: string): boolean {
  return readdirSync(directory).some((name) => name.startsWith(`${topic}-`));
}
