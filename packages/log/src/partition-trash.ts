import { join } from 'node:path';
import { readTopicId } from './load/find-partitions.ts';
import type { LogIdentity, LogRuntime, LogState } from './log-state.ts';
import { deletedDirectoryName } from './segment-files.ts';

/**
 * Takes the directories of partitions away: at once by their name, so that it is free, and their files
 * later, one at a time.
 */
export class PartitionTrash {
  readonly #parent: string;
  readonly #runtime: LogRuntime;

  /** @param parent directory of all partitions */
  constructor(parent: string, runtime: LogRuntime) {
    this.#parent = parent;
    this.#runtime = runtime;
  }

  /** Removes the directory of a partition after `delayMs`; one that cannot be renamed, by its own name. */
  remove(partition: Omit<LogIdentity, 'topicId'>, delayMs: number): void {
    const { fs, disposal, logger } = this.#runtime;
    const { directory } = partition;
    let target = this.#nameFor(partition);
    try {
      fs.renameSync(directory, target);
    } catch (error) {
      logger.warn(`Could not rename ${directory}`, { error });
      target = directory;
    }
    disposal.disposeDirectory(target, delayMs);
  }

  /**
   * Removes what another topic of the same name has left where this partition is to be.
   *
   * @throws what the file system throws; all is as it was then
   */
  removeOther(state: LogState): void {
    const { fs, disposal } = this.#runtime;
    const { directory, topicId, config } = state;
    const previousId = readTopicId(fs, directory);
    if (previousId === undefined || previousId === topicId) return;
    const target = this.#nameFor(state);
    fs.renameSync(directory, target);
    disposal.disposeDirectory(target, config.fileDeleteDelayMs);
  }

  #nameFor({ topic, partition }: Pick<LogIdentity, 'topic' | 'partition'>): string {
    const uniqueId = Buffer.from(this.#runtime.random.fill(new Uint8Array(16))).toString('hex');
    return join(this.#parent, deletedDirectoryName(topic, partition, uniqueId));
  }
}
