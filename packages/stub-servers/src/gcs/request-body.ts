import { type Exchange, RequestCutError } from '../http/exchange.ts';
import { BytesCollector } from '../storage/bytes-collector.ts';
import { type MemoryBudget, MemoryBudgetError } from '../storage/memory-budget.ts';
import type { StoredBytes } from '../storage/stored-bytes.ts';
import { GcsError } from './gcs-error.ts';

const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** What arrived of a body. Its bytes are reserved in the budget; whoever takes them gives them back. */
export interface CollectedBody {
  readonly bytes: StoredBytes;
  /** Why it is not the whole body, when it is not. */
  readonly cut: RequestCutError | undefined;
}

/** @throws MemoryBudgetError when there is no room; nothing is reserved then */
export async function collectBody(
  exchange: Exchange,
  budget: MemoryBudget,
): Promise<CollectedBody> {
  const announced = Number(exchange.head.headers.get('content-length') ?? 0);
  // No use in reading what is too long by its own words.
  if (announced > budget.maxBytes - budget.usedBytes)
    throw new MemoryBudgetError(budget, announced);
  const collector = new BytesCollector(budget);
  try {
    await exchange.readBody((piece) => collector.push(piece));
    return { bytes: collector.finish(), cut: undefined };
  } catch (error) {
    if (error instanceof RequestCutError) return { bytes: collector.finish(), cut: error };
    collector.discard();
    throw error;
  }
}

/** The same, for whom a part is nothing. @throws RequestCutError when it is cut */
export async function collectWholeBody(
  exchange: Exchange,
  budget: MemoryBudget,
): Promise<StoredBytes> {
  const { bytes, cut } = await collectBody(exchange, budget);
  if (cut === undefined) return bytes;
  budget.release(bytes.size);
  throw cut;
}

/**
 * A body that is a document, as text.
 *
 * @throws GcsError `uploadTooLarge` above 1 MiB
 */
export async function readDocument(exchange: Exchange): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  await exchange.readBody((piece) => {
    bytes += piece.length;
    if (bytes > MAX_DOCUMENT_BYTES) {
      throw new GcsError(
        'uploadTooLarge',
        `The document is longer than the ${MAX_DOCUMENT_BYTES} bytes allowed`,
      );
    }
    pieces.push(piece);
  });
  return Buffer.concat(pieces).toString('utf8');
}
