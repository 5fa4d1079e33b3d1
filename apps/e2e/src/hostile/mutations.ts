import { type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { APIS, type ApiVersionsResponse, apiVersionsApi, decodeResponse } from '@logloft/protocol';
import { createTopic } from '../harness/create-topic.ts';
import { KafkaConnection } from '../harness/kafka-connection.ts';
import { assertGrowth, mebibytes, whileMeasuring } from './broker-memory.ts';
import { requestFrame } from './frames.ts';
import { attack, type HostileScene } from './hostile-scene.ts';
import { mutate } from './mutate.ts';
import { RawConnection } from './raw-connection.ts';
import { type ApiVersion, randomRequest } from './request-generator.ts';

const MIB = 1024 * 1024;
const SOUND = 2000;
const MUTATIONS = 20_000;
const PORTION = 1000;
const WORKERS = 8;
/** A request that waits, for other members or for data, is left alone after this. */
const PATIENCE_MS = 250;
const MAX_GROWTH_BYTES = 192 * MIB;
const FIRST_PROBE_ID = 1_000_000_000;

/** What became of mutated requests. */
interface Outcomes {
  answered: number;
  closed: number;
  left: number;
}

const NOTHING: Readonly<Outcomes> = { answered: 0, closed: 0, left: 0 };

/**
 * Requests of all APIs and versions that are served: as they must be, each of which is answered, and
 * then changed in some places.
 */
export async function checkMutations(scene: HostileScene): Promise<void> {
  const { bootstrap } = scene.broker;
  await createTopic(bootstrap, 'mutant-a', { partitions: 2 });
  await createTopic(bootstrap, 'mutant-b');
  const versions = await servedVersions(bootstrap);
  const apis = new Set(versions.map(({ api }) => api.key)).size;
  const kinds = `${apis} APIs in ${versions.length} versions`;
  await attack(scene, `${SOUND} sound requests of ${kinds}: all are answered`, async () => {
    const outcomes = await sendAll(scene, { versions, count: SOUND, change: (frame) => frame });
    if (outcomes.closed > 0) throw new Error(`${outcomes.closed} connections were closed`);
    return `${outcomes.answered} answered, ${outcomes.left} left waiting`;
  });
  const title = `${MUTATIONS} mutated requests of ${kinds}: an answer, or closed with one log line`;
  await attack(scene, title, async () => {
    let outcomes: Outcomes | undefined;
    const memory = await whileMeasuring(scene.pid, async () => {
      outcomes = await sendAll(scene, { versions, count: MUTATIONS, change: mutate });
    });
    const { answered, closed, left } = outcomes ?? NOTHING;
    const figures = `${answered} answered, ${closed} closed, ${left} left waiting`;
    return `${figures}; ${assertGrowth(memory, MAX_GROWTH_BYTES)} (bound +${mebibytes(MAX_GROWTH_BYTES)})`;
  });
}

interface Requests {
  readonly versions: readonly ApiVersion[];
  readonly count: number;
  readonly change: (frame: Buffer, random: RandomSource) => Buffer;
}

/** Sends so many, by some workers, and holds the log lines against what became of the connections. */
async function sendAll(
  { broker, lines, random }: HostileScene,
  { versions, count, change }: Requests,
): Promise<Outcomes> {
  const outcomes = { ...NOTHING };
  for (let done = 0; done < count; done += PORTION) {
    const before = { ...outcomes };
    const workers = Array.from({ length: WORKERS }, () =>
      new MutationWorker({
        bootstrap: broker.bootstrap,
        versions,
        change,
        outcomes,
        random: seededRandom(random.nextUint32()),
      }).run(PORTION / WORKERS),
    );
    await Promise.all(workers);
    const told = await lines.settle();
    const closed = outcomes.closed - before.closed;
    const left = outcomes.left - before.left;
    // One that is left alone may be closed by the broker just then.
    if (told < closed || told > closed + left) {
      throw new Error(
        `${closed} connections were closed and ${left} left, ${told} lines tell of it`,
      );
    }
  }
  return outcomes;
}

async function servedVersions(bootstrap: string): Promise<readonly ApiVersion[]> {
  const connection = await KafkaConnection.open(bootstrap);
  const served: ApiVersionsResponse = await connection
    .request(apiVersionsApi, 3, { clientSoftwareName: 'mutant', clientSoftwareVersion: '1' })
    .finally(() => connection.close());
  return served.apiKeys.flatMap(({ apiKey, minVersion, maxVersion }) => {
    const api = APIS.find(({ key }) => key === apiKey);
    if (api === undefined) throw new Error(`API ${apiKey} is served, but not known here`);
    const from = Math.max(minVersion, api.versions.min);
    return Array.from({ length: maxVersion - from + 1 }, (_, index) => ({
      api,
      version: from + index,
    }));
  });
}

interface MutationWorkerOptions {
  readonly bootstrap: string;
  readonly versions: readonly ApiVersion[];
  readonly change: Requests['change'];
  readonly outcomes: Outcomes;
  readonly random: RandomSource;
}

/** Sends one mutated request after the other, each with a sound one behind it that tells how it went. */
class MutationWorker {
  readonly #options: MutationWorkerOptions;
  #connection: RawConnection | undefined;
  #probeId = FIRST_PROBE_ID;

  constructor(options: MutationWorkerOptions) {
    this.#options = options;
  }

  async run(count: number): Promise<void> {
    try {
      for (let index = 0; index < count; index += 1) await this.#one();
    } finally {
      this.#connection?.destroy();
    }
  }

  async #one(): Promise<void> {
    const { bootstrap, change, outcomes, random, versions } = this.#options;
    const chosen = versions[randomBelow(random, versions.length)];
    if (chosen === undefined) throw new Error('the broker serves no API');
    const connection = this.#connection ?? (await RawConnection.open(bootstrap));
    this.#connection = connection;
    this.#probeId += 1;
    const probe = { version: 0, correlationId: this.#probeId };
    connection.send(
      Buffer.concat([
        change(randomRequest(chosen, 1, random), random),
        requestFrame(apiVersionsApi, probe, { clientSoftwareName: '', clientSoftwareVersion: '' }),
      ]),
    );
    if (await this.#probeAnswered(connection)) {
      outcomes.answered += 1;
      return;
    }
    this.#connection = undefined;
    if (connection.isClosed) outcomes.closed += 1;
    else outcomes.left += 1;
    connection.destroy();
  }

  async #probeAnswered(connection: RawConnection): Promise<boolean> {
    for (;;) {
      const frame = await connection.next(PATIENCE_MS);
      if (frame === undefined) return false;
      if (frame.length < 4 || frame.readInt32BE(0) !== this.#probeId) continue;
      const { body } = decodeResponse(apiVersionsApi, 0, frame);
      if (body.apiKeys.length === 0) throw new Error('a probe was not answered as it must be');
      return true;
    }
  }
}
