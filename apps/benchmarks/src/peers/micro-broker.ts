// The ceiling: what one Node process can do at best between a socket and a file. It skips everything
// that makes a broker trustworthy, and exists only to be compared with. A process of its own.
import { mkdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { crc32c } from '@logloft/records';
import { serveCommands } from '../harness/command.ts';
import { ownUsage, type Usage } from '../harness/usage.ts';
import { MicroFrames } from './micro-frames.ts';
import { MicroLog } from './micro-log.ts';
import { readInto } from './read-into.ts';
import { RequestCursor } from './request-cursor.ts';
import { type FetchEnvelope, fetchEnvelope, ProduceTemplate } from './response-templates.ts';
import { SlabPool } from './slab-pool.ts';

const PRODUCE = 0;
const PRODUCE_FLEXIBLE_FROM = 9;
const FETCH_FLEXIBLE_FROM = 12;
const BATCH_LEADER_EPOCH_AT = 12;
const BATCH_CRC_AT = 17;
const BATCH_CRC_FROM = 21;
const BATCH_COUNT_AT = 57;
const MAX_PARTITIONS = 4096;
/** Room for the envelope of a fetch response before and behind the records. */
const ENVELOPE_BYTES = 1024;

/** How a {@link microBroker} is started. */
export interface MicroBrokerStart {
  readonly directory: string;
  readonly topic: string;
  readonly partitions: number;
}

const pool = new SlabPool();
const cursor = new RequestCursor();
const produceTemplates = new Map<number, ProduceTemplate>();
const fetchEnvelopes = new Map<number, FetchEnvelope>();
let logs: MicroLog[] = [];
let topic = '';
let server: Server | undefined;

const commands = {
  async start(start: MicroBrokerStart): Promise<number> {
    topic = start.topic;
    mkdirSync(start.directory, { recursive: true });
    logs = Array.from(
      { length: start.partitions },
      (_, i) => new MicroLog(start.directory, `${i}`),
    );
    server = createServer({ pauseOnConnect: true, noDelay: true }, serve);
    const listening = server.listen(0, '127.0.0.1');
    await new Promise((resolve) => listening.once('listening', resolve));
    return (listening.address() as AddressInfo).port;
  },
  clear(): void {
    for (const log of logs) log.clear();
  },
  usage(): Usage {
    return ownUsage();
  },
};

/** What the micro-broker can be told. */
export type MicroBrokerCommands = typeof commands;

serveCommands(commands, {
  onEnd: () => {
    server?.close();
    for (const log of logs) log.close();
  },
});

function serve(accepted: Socket): void {
  let isCorked = false;
  const cork = (): void => {
    if (isCorked) return;
    isCorked = true;
    socket.cork();
  };
  const frames = new MicroFrames(pool, {
    onFrame: (slab, length) => {
      cork();
      handle(slab, length, socket);
    },
    onReadEnd: () => {
      if (!isCorked) return;
      isCorked = false;
      socket.uncork();
    },
  });
  const socket = readInto(accepted, frames);
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.end());
}

function handle(frame: Buffer, length: number, socket: Socket): void {
  cursor.bytes = frame;
  cursor.at = 0;
  const api = cursor.int16();
  const version = cursor.int16();
  const correlationId = cursor.int32();
  cursor.isFlexible = false;
  cursor.skipString();
  const flexibleFrom = api === PRODUCE ? PRODUCE_FLEXIBLE_FROM : FETCH_FLEXIBLE_FROM;
  cursor.isFlexible = version >= flexibleFrom;
  cursor.skipTags();
  if (api === PRODUCE) socket.write(produce(version, correlationId));
  else fetch(version, correlationId, socket);
  if (cursor.at > length) throw new Error('The micro-broker was sent something unexpected');
  pool.giveBack(frame);
}

function produce(version: number, correlationId: number): Buffer {
  cursor.skipString();
  cursor.int16();
  cursor.int32();
  cursor.count();
  cursor.skipString();
  const count = cursor.count();
  const baseOffsets: number[] = [];
  let first = -1;
  for (let i = 0; i < count; i += 1) {
    const partition = cursor.int32();
    if (first < 0) first = partition;
    const bytes = cursor.count();
    baseOffsets.push(append(partition, bytes));
    cursor.at += bytes;
    cursor.skipTags();
  }
  const key = first * MAX_PARTITIONS + count;
  let template = produceTemplates.get(key);
  if (template === undefined) {
    template = new ProduceTemplate(version, topic, { first, count });
    produceTemplates.set(key, template);
  }
  return template.fill(correlationId, baseOffsets);
}

function append(partition: number, bytes: number): number {
  const { bytes: frame, at } = cursor;
  const log = logs[partition];
  if (log === undefined) throw new Error(`The micro-broker has no partition ${partition}`);
  const baseOffset = log.nextOffset;
  frame.writeInt32BE(Math.floor(baseOffset / 2 ** 32), at);
  frame.writeUInt32BE(baseOffset % 2 ** 32, at + 4);
  frame.writeInt32BE(0, at + BATCH_LEADER_EPOCH_AT);
  const crc = crc32c(frame.subarray(at + BATCH_CRC_FROM, at + bytes));
  if (crc !== frame.readUInt32BE(at + BATCH_CRC_AT)) throw new Error('A batch has a wrong CRC');
  log.append(frame, at, bytes, frame.readInt32BE(at + BATCH_COUNT_AT));
  return baseOffset;
}

function fetch(version: number, correlationId: number, socket: Socket): void {
  cursor.at += 4 + 4 + 4 + 4 + 1 + 4 + 4;
  cursor.count();
  cursor.skipString();
  cursor.count();
  const partition = cursor.int32();
  cursor.at += 4;
  const offset = cursor.int64();
  cursor.at += version >= FETCH_FLEXIBLE_FROM ? 4 + 8 : 8;
  const maxBytes = cursor.int32();
  const slab = pool.take(maxBytes + ENVELOPE_BYTES);
  const bytes = logs[partition]?.read(offset, maxBytes, slab, ENVELOPE_BYTES / 2) ?? 0;
  let envelope = fetchEnvelopes.get(bytes);
  if (envelope === undefined) {
    envelope = fetchEnvelope(version, topic, bytes);
    fetchEnvelopes.set(bytes, envelope);
  }
  const { head, tail } = envelope;
  const start = ENVELOPE_BYTES / 2 - head.length;
  const end = ENVELOPE_BYTES / 2 + bytes;
  head.copy(slab, start);
  slab.writeInt32BE(correlationId, start + 4);
  tail.copy(slab, end);
  socket.write(slab.subarray(start, end + tail.length), () => pool.giveBack(slab));
}
