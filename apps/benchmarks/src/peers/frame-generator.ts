// The load: raw frames made beforehand, so that the server and not the client is what is measured. A
// process of its own.
import { serveCommands } from '../harness/command.ts';
import { runClosedLoop } from './closed-loop.ts';
import { FetchFrames, fetchedBytes } from './fetch-frames.ts';
import { streamFrames } from './frame-stream.ts';
import type {
  EchoLoad,
  FetchLoad,
  Latency,
  LoadResult,
  PacedLoad,
  PacedResult,
  ProduceLoad,
  StreamLoad,
} from './load.ts';
import { runEcho, runPaced } from './paced-loop.ts';
import { checkProduced, produceFrame } from './produce-frames.ts';
import { sizedBatch } from './sized-batch.ts';

const FETCH_MAX_WAIT_MS = 500;

const commands = {
  produce(load: ProduceLoad): Promise<LoadResult> {
    const { topic, batchBytes } = load;
    const { batch } = sizedBatch(batchBytes);
    const all = Array.from({ length: load.partitions }, (_, i) => i);
    const groups = load.allPartitions === true ? [all] : all.map((index) => [index]);
    const frames = groups.map((partitions) => produceFrame(topic, partitions, batch));
    const inRequest = groups[0]?.length ?? 1;
    return runClosedLoop(load, {
      frame: (connection) => frames[connection % frames.length] ?? batch,
      accept: (head) => {
        checkProduced(head, topic, inRequest);
        return batchBytes * inRequest;
      },
    });
  },
  fetch(load: FetchLoad): Promise<LoadResult> {
    const { topic, batchBytes, sliceBytes } = load;
    const { records } = sizedBatch(batchBytes);
    const frames = new FetchFrames({ topic, maxBytes: sliceBytes, maxWaitMs: FETCH_MAX_WAIT_MS });
    const inSlice = sliceBytes / batchBytes;
    const slices = Math.floor(load.batches / inSlice);
    // Consumers begin at different places.
    const next = Array.from({ length: load.connections }, (_, i) =>
      Math.floor((i * slices) / load.connections),
    );
    return runClosedLoop(load, {
      frame: (connection) => {
        const slice = (next[connection] ?? 0) % slices;
        next[connection] = slice + 1;
        return frames.from(slice * inSlice * records);
      },
      accept: (head) => {
        const bytes = fetchedBytes(head, topic);
        if (bytes === sliceBytes) return bytes;
        throw new Error(`Expected ${sliceBytes} bytes of records, got ${bytes}`);
      },
    });
  },
  paced(load: PacedLoad): Promise<PacedResult> {
    return runPaced(load);
  },
  echo(load: EchoLoad): Promise<Latency> {
    return runEcho(load);
  },
  /** Ms that it took. */
  stream(load: StreamLoad): Promise<number> {
    return streamFrames(load);
  },
};

/** What the generator can be told. */
export type FrameGeneratorCommands = typeof commands;

serveCommands(commands);
