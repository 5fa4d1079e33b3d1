import { join } from 'node:path';
import type { PluginLogger } from '../../plugin.ts';
import type { CacheFiles } from './cache-files.ts';
import {
  CHUNK_HEADER_BYTES,
  type ChunkHeader,
  decodeChunkHeader,
  isTempFileName,
  parseChunkFileName,
} from './chunk-file.ts';

/** A chunk that an earlier process left. */
export interface RecoveredChunk {
  readonly name: string;
  readonly object: string;
  readonly index: number;
  /** Hexadecimal digest of its place. */
  readonly place: string;
  /** Bytes of the file. */
  readonly fileBytes: number;
  /** When it was last used, in wall-clock ms. */
  readonly usedMs: number;
}

/** What {@link recoverChunks} found. */
export interface Recovery {
  /** In order of use, the longest unused first. */
  readonly chunks: readonly RecoveredChunk[];
  /** Files of ours that were damaged or never finished, and were removed. */
  readonly removed: number;
}

const NAMES_IN_WARNING = 5;
const PARALLEL = 8;

/**
 * Looks through a cache's directory, which is made where it is missing. Unfinished and damaged files of
 * ours are removed; all others that are not ours are left alone.
 *
 * @throws what the directory cannot be made or listed for
 */
export async function recoverChunks(options: {
  readonly directory: string;
  readonly files: CacheFiles;
  readonly logger: PluginLogger;
}): Promise<Recovery> {
  const { directory, files, logger } = options;
  await files.makeDirectory(directory);
  const names = await files.list(directory);
  const chunks: RecoveredChunk[] = [];
  const foreign: string[] = [];
  let removed = 0;
  const look = async (name: string): Promise<void> => {
    const isOurs = parseChunkFileName(name) !== undefined || isTempFileName(name);
    if (!isOurs) {
      foreign.push(name);
      return;
    }
    const chunk = await recoverChunk(files, directory, name);
    if (chunk !== undefined) {
      chunks.push(chunk);
      return;
    }
    await files.remove(join(directory, name)).catch(() => undefined);
    removed += 1;
  };
  const left = names.values();
  const workers = Array.from({ length: PARALLEL }, async () => {
    for (const name of left) await look(name);
  });
  await Promise.all(workers);
  if (foreign.length > 0) {
    logger.warn('The directory of the chunk cache holds files that are not its own', {
      directory,
      count: foreign.length,
      names: foreign.sort().slice(0, NAMES_IN_WARNING),
    });
  }
  chunks.sort((one, other) => one.usedMs - other.usedMs);
  return { chunks, removed };
}

async function recoverChunk(
  files: CacheFiles,
  directory: string,
  name: string,
): Promise<RecoveredChunk | undefined> {
  const parsed = parseChunkFileName(name);
  if (parsed === undefined) return undefined;
  try {
    const file = await files.open(join(directory, name), 'r');
    try {
      const { size, mtimeMs } = await file.stat();
      const header = await readChunkHeader(file);
      if (header === undefined || header.object !== parsed.object) return undefined;
      if (size !== CHUNK_HEADER_BYTES + header.length) return undefined;
      return { name, ...parsed, place: header.place, fileBytes: size, usedMs: mtimeMs };
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** The header of an open file, or `undefined` when it is damaged. */
export async function readChunkHeader(
  file: Awaited<ReturnType<CacheFiles['open']>>,
): Promise<ChunkHeader | undefined> {
  const header = Buffer.alloc(CHUNK_HEADER_BYTES);
  const { bytesRead } = await file.read(header, 0, CHUNK_HEADER_BYTES, 0);
  return bytesRead === CHUNK_HEADER_BYTES ? decodeChunkHeader(header) : undefined;
}
