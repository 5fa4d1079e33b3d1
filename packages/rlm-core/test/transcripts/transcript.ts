import { ManualClock } from '@logloft/clock';
import { ByteLimit } from '@logloft/quota';
import {
  decodeMetadataEvent,
  InMemoryEventLog,
  type RemoteLogMetadataEvent,
} from '../../src/index.ts';
import { ModelLog } from '../support/model-log.ts';
import { type Fault, ModelStore, type StoreOperation } from '../support/model-store.ts';
import { orders3 } from '../support/segments.ts';
import { tieredBroker } from '../support/tiered-broker.ts';

const FAULTS: Readonly<Record<string, Fault>> = {
  denied: { kind: 'fail', retryable: false },
  unavailable: { kind: 'fail', retryable: true },
  half: { kind: 'half' },
  hang: { kind: 'hang' },
  slow: { kind: 'slow', ms: 5_000 },
};

/**
 * Runs a transcript: lines that begin with `> ` are commands, the lines after each are the events that
 * it causes, in their order. Returns the transcript as it really went.
 */
export async function play(transcript: string): Promise<string> {
  const scene = new Scene();
  const lines = transcript.split('\n').map((line) => line.trim());
  const commands = lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2));
  const out: string[] = [];
  for (const command of commands) {
    out.push(`> ${command}`, ...(await scene.run(command)));
  }
  await scene.end();
  return out.join('\n');
}

/** A transcript without its indentation. */
export function plain(transcript: string): string {
  const lines = transcript.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join('\n');
}

class Scene {
  readonly #clock = new ManualClock();
  readonly #store = new ModelStore(this.#clock);
  readonly #events: string[] = [];
  readonly #eventLog = new InMemoryEventLog();
  readonly #log = new ModelLog({ localRetentionMs: 0 });
  readonly #faults = new Map<string, Fault>();
  #lives = 0;
  #broker = this.#newBroker();

  constructor() {
    this.#store.faultOf = (operation, segment) => {
      this.#note(`store ${operation} ${segment.startOffset}-${segment.endOffset}`);
      return this.#faults.get(operation);
    };
    const append = this.#eventLog.append.bind(this.#eventLog);
    this.#eventLog.append = (partition, value) => {
      this.#note(describe(decodeMetadataEvent(value), this.#broker.manager));
      return append(partition, value);
    };
    const raise = this.#log.updateHighestOffsetInRemoteStorage.bind(this.#log);
    this.#log.updateHighestOffsetInRemoteStorage = (offset) => {
      if (offset > this.#log.highestOffsetInRemoteStorage) this.#note(`log tiered to ${offset}`);
      raise(offset);
    };
    const advance = this.#log.advanceLogStartOffset.bind(this.#log);
    this.#log.advanceLogStartOffset = (offset) => {
      this.#note(`log starts at ${offset}`);
      return advance(offset);
    };
  }

  async run(command: string): Promise<string[]> {
    const [verb = '', ...args] = command.split(' ');
    const act = this.#verbs[verb];
    if (act === undefined) throw new Error(`no such command: ${command}`);
    await act(...args);
    return this.#events.splice(0);
  }

  async end(): Promise<void> {
    const closed = this.#broker.manager.close();
    await this.#clock.advanceAsync(10_000);
    await closed;
    if (this.#clock.pendingTimers > 0) throw new Error('timers are left');
  }

  readonly #verbs: Readonly<Record<string, (...args: string[]) => Promise<void> | void>> = {
    segment: (batches = '3') =>
      this.#log.appendSegment(Number(batches), { timestampMs: this.#clock.now() }),
    append: (batches = '1') => {
      for (let i = 0; i < Number(batches); i += 1)
        this.#log.append({ timestampMs: this.#clock.now() });
    },
    lead: () => this.#broker.lead(),
    wait: (seconds = '30') => this.#clock.advanceAsync(Number(seconds) * 1000),
    store: (operation = '', fault = '') => {
      const known = FAULTS[fault];
      if (known === undefined) this.#faults.delete(operation);
      else this.#faults.set(operation as StoreOperation, known);
    },
    config: (name = '', value = '') => {
      const parsed = value === 'true' || value === 'false' ? value === 'true' : Number(value);
      this.#log.config = { ...this.#log.config, [name]: parsed };
    },
    'write-limit': (limit = '') => this.#broker.manager.updateWriteLimit(ByteLimit.parse(limit)),
    'read-limit': (limit = '') => this.#broker.manager.updateReadLimit(ByteLimit.parse(limit)),
    'open-transaction': (offset = '') => {
      this.#log.openTransactionAt = offset === '' ? undefined : Number(offset);
    },
    'custom-metadata': (bytes = '0') => {
      this.#store.customMetadata = new Uint8Array(Number(bytes));
    },
    'local-retention': () => {
      for (const base of this.#log.applyLocalRetention()) this.#note(`log removes ${base}`);
    },
    'delete-records': (offset = '') => this.#log.advanceLogStartOffset(Number(offset)),
    fetch: async (offset = '', maxBytes = '100000') => {
      const fetching = this.#broker.manager
        .fetch(orders3, { offset: Number(offset), maxBytes: Number(maxBytes) })
        .then((result) =>
          result.throttled ? 'answer: throttled' : `answer: ${result.records.length} bytes`,
        )
        .catch((error: { code?: string }) => `answer: ${error.code}`);
      await this.#clock.advanceAsync(0);
      this.#note(await fetching);
    },
    stop: () => this.#broker.manager.onStopPartitions([orders3]),
    'delete-topic': () => this.#broker.manager.onStopPartitions([orders3], { deleteRemote: true }),
    restart: async () => {
      await this.#restart();
      await this.#broker.lead();
    },
    'restart-without-partition': async () => {
      await this.#restart();
      this.#broker.manager.start();
      await this.#clock.advanceAsync(0);
    },
    status: () => {
      const { segments, copy } = this.#broker.manager.status(orders3);
      this.#note(`copy ${copy?.outcome}`);
      for (const { baseOffset, endOffset, place, notCopied } of segments) {
        this.#note(
          `${baseOffset}-${endOffset} ${place}${notCopied === undefined ? '' : ` ${notCopied}`}`,
        );
      }
    },
    metric: (name = '') => this.#note(`${name} ${this.#broker.metric(name)}`),
  };

  #note(event: string): void {
    this.#events.push(event);
  }

  async #restart(): Promise<void> {
    await this.#broker.manager.close();
    this.#log.restart();
    this.#log.newEpoch();
    this.#broker = this.#newBroker();
  }

  #newBroker(): ReturnType<typeof tieredBroker> {
    this.#lives += 1;
    return tieredBroker({
      clock: this.#clock,
      store: this.#store,
      log: this.#log,
      eventLog: this.#eventLog,
      // Another life makes other segment ids.
      seed: this.#lives,
      options: { copyStallTimeoutMs: 60_000 },
    });
  }
}

function describe(
  event: RemoteLogMetadataEvent,
  manager: ReturnType<typeof tieredBroker>['manager'],
): string {
  if (event.type === 'partition-delete') return `meta ${event.deletion.state}`;
  if (event.type === 'segment') {
    const { startOffset, endOffset, state } = event.metadata;
    return `meta ${startOffset}-${endOffset} ${state}`;
  }
  const { remoteLogSegmentId, state } = event.update;
  const known = manager.metadata.segmentById(orders3, remoteLogSegmentId.id);
  return `meta ${known?.startOffset}-${known?.endOffset} ${state}`;
}
