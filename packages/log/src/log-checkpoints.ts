import { join } from 'node:path';
import {
  type OffsetCheckpoint,
  parseOffsetCheckpoint,
  printOffsetCheckpoint,
  replaceFile,
} from './checkpoint-file.ts';
import { LogCorruptError, storageErrorOf } from './errors.ts';
import type { LogLogger } from './logger.ts';
import type { PartitionLog } from './partition-log.ts';
import type { FileSystem } from './store/file-system.ts';

const RECOVERY_POINT_FILE = 'recovery-point-offset-checkpoint';
const LOG_START_FILE = 'log-start-offset-checkpoint';
const CLEAN_MARK_FILE = '.kafka_cleanshutdown';
const CLEAN_MARK = '{"version":0,"brokerEpoch":-1}';

/** What the checkpoints of a directory say. */
export interface StoredOffsets {
  readonly recoveryPoints: OffsetCheckpoint;
  readonly logStarts: OffsetCheckpoint;
}

/** The files that speak for all logs of a directory. */
export class LogCheckpoints {
  readonly #fs: FileSystem;
  readonly #directory: string;
  readonly #logger: LogLogger;
  /** What is stored of the log starts. */
  #logStarts: OffsetCheckpoint = new Map();
  /** One at a time: they share the names of their temporary files. */
  #last: Promise<void> = Promise.resolve();
  /** One that waits for its turn: it will see what those have done who ask meanwhile. */
  #waiting: { logs: readonly PartitionLog[]; readonly stored: Promise<void> } | undefined;

  constructor(fs: FileSystem, directory: string, logger: LogLogger) {
    this.#fs = fs;
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Whether the last stop was clean; the mark is taken away, as from now on it is not true. */
  takeCleanMark(): boolean {
    const path = join(this.#directory, CLEAN_MARK_FILE);
    if (this.#fs.statSync(path) === undefined) return false;
    // Taken away before anything is written, and synchronously, for a crash may follow at once.
    this.#fs.renameSync(path, `${path}.taken`);
    this.#last = this.#last.then(() => this.#removeTaken(`${path}.taken`));
    return true;
  }

  /** Damaged checkpoints count as absent: everything is then read and checked. */
  load(): StoredOffsets {
    this.#logStarts = this.#read(LOG_START_FILE);
    return { recoveryPoints: this.#read(RECOVERY_POINT_FILE), logStarts: this.#logStarts };
  }

  /** Whether the start of a log would be found again. */
  hasLogStart(log: PartitionLog): boolean {
    return this.#logStarts.get(log.topic)?.has(log.partition) === true;
  }

  /**
   * Stores what the logs are at when its turn comes. All who ask until then share it, for each costs
   * two syncs, and the deletion of a topic asks once a partition.
   *
   * @throws LogStorageError
   */
  store(logs: readonly PartitionLog[]): Promise<void> {
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      waiting.logs = logs;
      return waiting.stored;
    }
    const stored = this.#last.then(() => {
      const latest = this.#waiting?.logs ?? logs;
      this.#waiting = undefined;
      return this.#store(latest);
    });
    this.#waiting = { logs, stored };
    this.#last = stored.catch(() => undefined);
    return stored;
  }

  /** @throws LogStorageError */
  async leaveCleanMark(): Promise<void> {
    await this.#last;
    try {
      const path = join(this.#directory, CLEAN_MARK_FILE);
      await replaceFile(this.#fs, path, CLEAN_MARK);
    } catch (error) {
      throw storageErrorOf(error, 'leaving the mark of a clean stop');
    }
  }

  async #store(logs: readonly PartitionLog[]): Promise<void> {
    const recoveryPoints: OffsetCheckpoint = new Map();
    const logStarts: OffsetCheckpoint = new Map();
    for (const log of logs) {
      put(recoveryPoints, log, log.recoveryPoint);
      // Of others the first segment tells; of a tiered one it does not (KAFKA-16146).
      if (log.config.remoteStorageEnable || log.logStartOffset > log.firstSegmentOffset) {
        put(logStarts, log, log.logStartOffset);
      }
    }
    try {
      await this.#write(RECOVERY_POINT_FILE, recoveryPoints);
      await this.#write(LOG_START_FILE, logStarts);
      this.#logStarts = logStarts;
    } catch (error) {
      throw storageErrorOf(error, 'storing the checkpoints of the logs');
    }
  }

  async #write(name: string, offsets: OffsetCheckpoint): Promise<void> {
    await replaceFile(this.#fs, join(this.#directory, name), printOffsetCheckpoint(offsets));
  }

  #read(name: string): OffsetCheckpoint {
    const bytes = this.#fs.readFileSync(join(this.#directory, name));
    if (bytes === undefined) return new Map();
    try {
      return parseOffsetCheckpoint(bytes.toString());
    } catch (error) {
      if (!(error instanceof LogCorruptError)) throw error;
      this.#logger.warn(`${name} is damaged and is not used`, { error });
      return new Map();
    }
  }

  async #removeTaken(path: string): Promise<void> {
    try {
      await this.#fs.remove(path);
      await this.#fs.syncDirectory(this.#directory);
    } catch (error) {
      this.#logger.warn(`Could not remove ${path}`, { error });
    }
  }
}

function put(offsets: OffsetCheckpoint, log: PartitionLog, offset: number): void {
  let partitions = offsets.get(log.topic);
  if (partitions === undefined) {
    partitions = new Map();
    offsets.set(log.topic, partitions);
  }
  partitions.set(log.partition, offset);
}
