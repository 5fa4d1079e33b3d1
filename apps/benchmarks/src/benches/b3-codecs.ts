import {
  type ApiDescription,
  apiVersionsApi,
  ByteReader,
  ByteWriter,
  type FetchResponse,
  fetchApi,
  metadataApi,
  produceApi,
} from '@logloft/protocol';
import { BatchBuilder, readRecords } from '@logloft/records';
import { apiVersionsV3, fetchV12, metadataV12, produceV9, Reader } from '@platformatic/kafka';
import { bytesPerCall } from '../harness/allocations.ts';
import type { Bench, BenchOptions } from '../harness/bench.ts';
import { figure } from '../harness/format.ts';
import type { Report, Row } from '../harness/report.ts';
import { interleave, nanosecondsPerCall } from '../harness/rounds.ts';
import { summarize } from '../harness/stats.ts';
import { sizedBatch } from '../peers/sized-batch.ts';
import {
  apiVersionsRequest,
  apiVersionsResponse,
  fetchRequest,
  fetchResponse,
  metadataRequest,
  metadataResponse,
  produceRequest,
  produceResponse,
} from './codec-samples.ts';

const KIB = 1024;
const BATCH_BYTES = 16 * KIB;
const RECORDS = 16;
const AIM = 1;

/** A message that both codecs know, in the direction that a client needs. */
interface Duel {
  readonly what: string;
  ours(): void;
  theirs(): void;
}

/** Message codecs against those of the client @platformatic/kafka. */
export const b3: Bench = {
  id: 'B3',
  title: 'B3 message codecs, against those of @platformatic/kafka (a client: it encodes requests)',
  async run(options: BenchOptions): Promise<Report> {
    const targetMs = options.smoke ? 3 : 12;
    const rows: Row[] = [];
    for (const duel of duels()) rows.push(await rowOf(duel, options.rounds, targetMs));
    const notes = [
      'The server side, which the client lacks, least and most over all versions, with heap bytes:',
    ];
    for (const side of serverSides()) notes.push(describe(side, options.smoke, targetMs));
    return { title: this.title, rows, notes };
  },
};

async function rowOf(duel: Duel, rounds: number, targetMs: number): Promise<Row> {
  const contender = (name: string, call: () => void) => ({
    name,
    run: () => ({ us: nanosecondsPerCall(call, targetMs) / 1000 }),
  });
  const ours = () => duel.ours();
  const theirs = () => duel.theirs();
  const results = await interleave([contender('ours', ours), contender('theirs', theirs)], rounds);
  const text = (name: string, call: () => void): string =>
    `${figure(results.median(name, 'us'))} us, ${figure(bytesPerCall(call))} B`;
  return {
    what: duel.what,
    ours: text('ours', ours),
    peer: text('theirs', theirs),
    ratio: results.ratio('theirs', 'ours', 'us'),
    target: AIM,
  };
}

function duels(): Duel[] {
  const { batch } = sizedBatch(BATCH_BYTES);
  const frames = {
    apiVersions: bodyOf(apiVersionsApi.response, 3, apiVersionsResponse),
    metadata: bodyOf(metadataApi.response, 12, metadataResponse),
    produce: bodyOf(produceApi.response, 9, produceResponse),
    fetch: bodyOf(fetchApi.response, 12, fetchResponse(batch)),
  };
  const value = Buffer.alloc(KIB - 64, 1);
  return [
    {
      what: 'encode ApiVersions v3 request',
      ours: encoding(apiVersionsApi.request, 3, apiVersionsRequest),
      theirs: () => apiVersionsV3.createRequest('bench', '1.0.0').buffer,
    },
    {
      what: 'decode ApiVersions v3 response, 45 APIs',
      ours: decoding(apiVersionsApi.response, 3, frames.apiVersions),
      theirs: () => apiVersionsV3.parseResponse(1, 18, 3, Reader.from(frames.apiVersions)),
    },
    {
      what: 'encode Metadata v12 request',
      ours: encoding(metadataApi.request, 12, metadataRequest),
      theirs: () => metadataV12.createRequest(['orders'], false, false).buffer,
    },
    {
      what: 'decode Metadata v12 response, 100 partitions',
      ours: decoding(metadataApi.response, 12, frames.metadata),
      theirs: () => metadataV12.parseResponse(1, 3, 12, Reader.from(frames.metadata)),
    },
    {
      what: 'build a batch of 16 x 1 KiB and encode Produce v9 request',
      ours: () => {
        const builder = new BatchBuilder();
        for (let i = 0; i < RECORDS; i += 1) builder.append({ timestamp: 1, key: null, value });
        encoding(produceApi.request, 9, produceRequest(builder.build()))();
      },
      theirs: () => {
        const messages = Array.from({ length: RECORDS }, () => ({
          topic: 'orders',
          partition: 0,
          timestamp: 1n,
          value,
        }));
        return produceV9.createRequest(1, 30_000, messages).buffers;
      },
    },
    {
      what: 'decode Produce v9 response',
      ours: decoding(produceApi.response, 9, frames.produce),
      theirs: () => produceV9.parseResponse(1, 0, 9, Reader.from(frames.produce)),
    },
    {
      what: 'encode Fetch v12 request',
      ours: encoding(fetchApi.request, 12, fetchRequest),
      theirs: encodeTheirFetch,
    },
    {
      what: 'decode Fetch v12 response and its 16 x 1 KiB records',
      ours: () => {
        const reader = new ByteReader(frames.fetch);
        drainRecords(fetchApi.response.decode(reader, 12));
      },
      theirs: () => fetchV12.parseResponse(1, 1, 12, Reader.from(frames.fetch)),
    },
  ];
}

function encodeTheirFetch(): Buffer {
  const partition = {
    partition: 0,
    currentLeaderEpoch: -1,
    fetchOffset: 123_456n,
    lastFetchedEpoch: -1,
    partitionMaxBytes: KIB * KIB,
  };
  const topics = [{ topicId: 'orders', partitions: [partition] }];
  return fetchV12.createRequest(500, 1, KIB * KIB, 0, 0, -1, topics, [], '').buffer;
}

function drainRecords(response: FetchResponse): void {
  for (const { partitions } of response.responses) {
    for (const { records } of partitions) {
      // Decoding gives one piece.
      for (const _record of readRecords(records as Buffer));
    }
  }
}

interface ServerSide {
  readonly api: ApiDescription;
  readonly versions: readonly [number, number];
  readonly request: object;
  readonly response: object;
}

function serverSides(): ServerSide[] {
  const { batch } = sizedBatch(BATCH_BYTES);
  const sides = [
    { api: apiVersionsApi, from: 0, request: apiVersionsRequest, response: apiVersionsResponse },
    { api: metadataApi, from: 0, request: metadataRequest, response: metadataResponse },
    { api: produceApi, from: 3, request: produceRequest(batch), response: produceResponse },
    { api: fetchApi, from: 4, request: fetchRequest, response: fetchResponse(batch) },
  ];
  return sides.map(({ api, from, request, response }) => ({
    // Each pair above fits; the common type forgets which message it is.
    api: api as unknown as ApiDescription,
    versions: [from, api.versions.max],
    request,
    response,
  }));
}

function describe(side: ServerSide, onlyEnds: boolean, targetMs: number): string {
  const { api, versions, request, response } = side;
  const [oldest, newest] = versions;
  const decoded = new Spread();
  const encoded = new Spread();
  const step = onlyEnds ? newest - oldest : 1;
  for (let version = oldest; version <= newest; version += step) {
    decoded.add(decoding(api.request, version, bodyOf(api.request, version, request)), targetMs);
    encoded.add(encoding(api.response, version, response), targetMs);
  }
  return `  ${api.name} v${oldest}-v${newest}: decode request ${decoded.text()}, encode response ${encoded.text()}`;
}

/** The least and the most that some calls took. */
class Spread {
  readonly #us: number[] = [];
  readonly #bytes: number[] = [];

  add(call: () => void, targetMs: number): void {
    // Once to have it compiled.
    nanosecondsPerCall(call, targetMs);
    this.#us.push(nanosecondsPerCall(call, targetMs) / 1000);
    this.#bytes.push(bytesPerCall(call));
  }

  text(): string {
    const us = summarize(this.#us);
    const bytes = summarize(this.#bytes);
    return `${figure(us.min)}-${figure(us.max)} us ${bytes.min.toFixed(0)}-${bytes.max.toFixed(0)} B`;
  }
}

interface Codec<T extends object> {
  decode(reader: ByteReader, version: number): T;
  encode(writer: ByteWriter, version: number, message: T): void;
}

function encoding<T extends object>(codec: Codec<T>, version: number, message: T): () => void {
  const writer = new ByteWriter();
  return () => {
    codec.encode(writer, version, message);
    writer.finish();
  };
}

function decoding<T extends object>(codec: Codec<T>, version: number, body: Buffer): () => void {
  return () => {
    codec.decode(new ByteReader(body), version);
  };
}

function bodyOf<T extends object>(codec: Codec<T>, version: number, message: T): Buffer {
  const writer = new ByteWriter();
  codec.encode(writer, version, message);
  return Buffer.concat(writer.finish().chunks);
}
