import { createHash, type Hash } from 'node:crypto';
import type { Exchange } from '../http/exchange.ts';
import { BytesCollector } from '../storage/bytes-collector.ts';
import type { MemoryBudget } from '../storage/memory-budget.ts';
import type { StoredBytes } from '../storage/stored-bytes.ts';
import type { ChunkSigning } from './authenticate.ts';
import { AwsChunkedDecoder } from './aws-chunked-decoder.ts';
import {
  checksumHeader,
  isChecksum,
  type ObjectChecksum,
  type RunningChecksum,
  startChecksum,
} from './checksum.ts';
import { type ChecksumDialect, type PayloadPlan, planPayload } from './payload-plan.ts';
import { S3Error } from './s3-error.ts';

/** A body that was received whole and is what it was said to be. Its bytes are reserved. */
export interface ReceivedPayload {
  readonly bytes: StoredBytes;
  readonly md5Hex: string;
  /** The checksum that came with it, over all of it. */
  readonly checksum: ObjectChecksum | undefined;
}

/** How a body is to be received. */
export interface ReceiveOptions {
  readonly payloadHash: string;
  /** Set when the signatures of chunks are to be checked. */
  readonly chunkSigning: ChunkSigning | undefined;
  readonly dialect: ChecksumDialect;
  /** Whether a checksum in the head is not of this body, but of the object that comes of the request. */
  readonly isObjectChecksum?: boolean | undefined;
  readonly budget: MemoryBudget;
  /** The most bytes that are taken; more are an `EntityTooLarge`. */
  readonly maxBytes: number;
}

/**
 * Receives a body, takes its framing off, and compares it with all that its head and its trailers say.
 *
 * @throws S3Error when it is not what it was said to be
 * @throws MemoryBudgetError when there is no room
 * @throws RequestCutError when it ended early; in all three cases nothing stays reserved
 */
export async function receivePayload(
  exchange: Exchange,
  options: ReceiveOptions,
): Promise<ReceivedPayload> {
  const plan = planPayload(exchange.head, options);
  if (plan.contentBytes > options.maxBytes) {
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.', {
      ProposedSize: String(plan.contentBytes),
      MaxSizeAllowed: String(options.maxBytes),
    });
  }
  options.budget.assertRoom(plan.contentBytes);
  const reception = new Reception(plan, options);
  try {
    await exchange.readBody((piece) => reception.push(piece));
    return reception.finish();
  } catch (error) {
    reception.discard();
    throw error;
  }
}

class Reception {
  readonly #plan: PayloadPlan;
  readonly #verifies: boolean;
  readonly #collector: BytesCollector;
  readonly #md5: Hash = createHash('md5');
  readonly #sha256: Hash | undefined;
  readonly #checksum: RunningChecksum | undefined;
  readonly #decoder: AwsChunkedDecoder | undefined;

  constructor(plan: PayloadPlan, options: ReceiveOptions) {
    const { chunkSigning, dialect } = options;
    this.#plan = plan;
    this.#verifies = dialect === 'verify';
    this.#collector = new BytesCollector(options.budget);
    if (plan.sha256 !== undefined) this.#sha256 = createHash('sha256');
    if (plan.checksum !== undefined && this.#verifies) {
      this.#checksum = startChecksum(plan.checksum.algorithm);
    }
    if (plan.framing !== 'plain') {
      const signing = plan.framing === 'aws-chunked-signed' ? chunkSigning : undefined;
      this.#decoder = new AwsChunkedDecoder((bytes) => this.#take(bytes), signing);
    }
  }

  push(piece: Buffer): void {
    if (this.#decoder === undefined) this.#take(piece);
    else this.#decoder.push(piece);
  }

  finish(): ReceivedPayload {
    const trailers = this.#decoder?.end();
    if (this.#collector.size !== this.#plan.contentBytes) throw wrongLength(this.#plan);
    const md5 = this.#md5.digest();
    this.#compareMd5(md5.toString('base64'));
    this.#compareSha256();
    const checksum = this.#compareChecksum(trailers);
    return { bytes: this.#collector.finish(), md5Hex: md5.toString('hex'), checksum };
  }

  discard(): void {
    this.#collector.discard();
  }

  #take(bytes: Buffer): void {
    if (this.#collector.size + bytes.length > this.#plan.contentBytes)
      throw wrongLength(this.#plan);
    this.#collector.push(bytes);
    this.#md5.update(bytes);
    this.#sha256?.update(bytes);
    this.#checksum?.update(bytes);
  }

  #compareMd5(computed: string): void {
    const { md5 } = this.#plan;
    if (md5 === undefined || md5 === computed) return;
    throw new S3Error(
      'BadDigest',
      'The Content-MD5 you specified did not match what we received.',
      {
        ExpectedDigest: md5,
        CalculatedDigest: computed,
      },
    );
  }

  #compareSha256(): void {
    const computed = this.#sha256?.digest('hex');
    if (computed === this.#plan.sha256) return;
    throw new S3Error(
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
      {
        ClientComputedContentSHA256: this.#plan.sha256 ?? '',
        S3ComputedContentSHA256: computed ?? '',
      },
    );
  }

  #compareChecksum(trailers: ReadonlyMap<string, string> | undefined): ObjectChecksum | undefined {
    const expected = this.#plan.checksum;
    if (expected === undefined || this.#checksum === undefined) return undefined;
    const { algorithm } = expected;
    const name = checksumHeader(algorithm);
    const claimed = expected.value ?? trailers?.get(name);
    if (claimed === undefined || !isChecksum(algorithm, claimed)) {
      throw new S3Error('MalformedTrailerError', `The trailer ${name} is missing or malformed.`);
    }
    const value = this.#checksum.digest();
    if (value !== claimed) {
      throw new S3Error(
        'BadDigest',
        `The ${algorithm} you specified did not match the calculated checksum.`,
      );
    }
    return { algorithm, type: 'FULL_OBJECT', value };
  }
}

function wrongLength(plan: PayloadPlan): S3Error {
  return new S3Error(
    'IncompleteBody',
    `The body has not the ${plan.contentBytes} bytes that were announced.`,
  );
}
