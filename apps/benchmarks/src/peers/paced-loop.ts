import { FetchFrames, fetchedBytes } from './fetch-frames.ts';
import { LatencyRecorder } from './latency-recorder.ts';
import type { EchoLoad, Latency, PacedLoad, PacedResult } from './load.ts';
import { checkProduced, produceFrame } from './produce-frames.ts';
import { RawConnection } from './raw-connection.ts';
import { sizedBatch } from './sized-batch.ts';

const FETCH_MAX_BYTES = 1024 * 1024;
const FETCH_MAX_WAIT_MS = 500;

interface Pace {
  readonly requestsPerSecond: number;
  readonly requests: number;
}

/**
 * Produces at a fixed rate and, if asked to, consumes beside it. Each latency counts from the time when the request
 * was due, so that a stall is felt by all requests that it delays (no coordinated omission).
 */
export async function runPaced(load: PacedLoad): Promise<PacedResult> {
  const { topic, requests } = load;
  const { batch, records } = sizedBatch(load.batchBytes);
  const frame = produceFrame(topic, [0], batch);
  const fetches = new FetchFrames({
    topic,
    maxBytes: FETCH_MAX_BYTES,
    maxWaitMs: FETCH_MAX_WAIT_MS,
  });
  const producer = await RawConnection.open(load.port);
  const consumer = await RawConnection.open(load.port);
  const produced = new LatencyRecorder(requests);
  const consumed = new LatencyRecorder(load.consume ? requests : 0);
  const startMs = performance.now();
  const dueMs = (index: number): number => startMs + (index * 1000) / load.requestsPerSecond;
  let lastSentMs = startMs;
  await new Promise<void>((resolve, reject) => {
    const finishIfDone = (): void => {
      if (produced.count === requests && (!load.consume || consumed.count === requests)) resolve();
    };
    producer.onFailure = reject;
    consumer.onFailure = reject;
    producer.onResponse = guarded(reject, (head) => {
      checkProduced(head, topic, 1);
      produced.add(performance.now() - dueMs(produced.count));
      finishIfDone();
    });
    consumer.onResponse = guarded(reject, (head) => {
      const now = performance.now();
      const batches = fetchedBytes(head, topic) / load.batchBytes;
      for (let i = 0; i < batches; i += 1) consumed.add(now - dueMs(consumed.count));
      if (consumed.count < requests) consumer.send(fetches.from(consumed.count * records));
      finishIfDone();
    });
    if (load.consume) consumer.send(fetches.from(0));
    pace(load, startMs, () => {
      producer.send(frame);
      lastSentMs = performance.now();
    });
  });
  await Promise.all([producer.end(), consumer.end()]);
  const keptRate = requests / load.requestsPerSecond / ((lastSentMs - startMs) / 1000);
  return { produce: produced.latency(), endToEnd: consumed.latency(), keptRate };
}

/** Echoes small frames at a fixed rate: what the machine's loopback costs at best. */
export async function runEcho(load: EchoLoad): Promise<Latency> {
  const frame = Buffer.alloc(load.bytes);
  frame.writeInt32BE(load.bytes - 4, 0);
  const connection = await RawConnection.open(load.port);
  const recorder = new LatencyRecorder(load.requests);
  const startMs = performance.now();
  await new Promise<void>((resolve, reject) => {
    connection.onFailure = reject;
    connection.onResponse = () => {
      const due = startMs + (recorder.count * 1000) / load.requestsPerSecond;
      recorder.add(performance.now() - due);
      if (recorder.count === load.requests) resolve();
    };
    pace(load, startMs, () => connection.send(frame));
  });
  await connection.end();
  return recorder.latency();
}

/** Calls `send` when each request is due. It spins: no timer of Node is fine enough. */
function pace({ requestsPerSecond, requests }: Pace, startMs: number, send: () => void): void {
  let sent = 0;
  const step = (): void => {
    const due = Math.floor(((performance.now() - startMs) * requestsPerSecond) / 1000) + 1;
    while (sent < Math.min(due, requests)) {
      sent += 1;
      send();
    }
    if (sent < requests) setImmediate(step);
  };
  step();
}

function guarded(
  reject: (error: unknown) => void,
  use: (head: Buffer) => void,
): (size: number, head: Buffer) => void {
  return (_size, head) => {
    try {
      use(head);
    } catch (error) {
      reject(error);
    }
  };
}
