import type { Clock, Timer } from '@logloft/clock';
import type { LogSegment } from './log-segment.ts';
import type { LogStatistics } from './log-statistics.ts';
import type { LogLogger } from './logger.ts';
import { DELETED_SUFFIX } from './segment-files.ts';
import type { FileSystem } from './store/file-system.ts';
import { WorkLimiter } from './work-limiter.ts';

/** What a {@link SegmentDisposal} needs. */
export interface SegmentDisposalOptions {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly logger: LogLogger;
  readonly statistics: LogStatistics;
}

const KINDS = ['log', 'index', 'timeindex', 'txnindex', 'snapshot'] as const;

/**
 * Removes files, one at a time and away from the main thread, because unlinking a segment of 256 MB
 * takes some 300 ms. Files of segments are renamed to `*.deleted` at once, stay for
 * `file.delete.delay.ms` and until their last reader is gone. What a crash leaves is swept at the
 * next start.
 */
export class SegmentDisposal {
  readonly #options: SegmentDisposalOptions;
  readonly #unlinks = new WorkLimiter(1);
  readonly #timers = new Map<Timer, () => void>();
  #isClosed = false;

  constructor(options: SegmentDisposalOptions) {
    this.#options = options;
  }

  /** Segments that were taken out of their log. */
  dispose(segments: readonly LogSegment[], delayMs: number): void {
    for (const segment of segments) {
      const renamed = this.#renameAll(KINDS.map((kind) => segment.path(kind)));
      this.#watch(this.#remove(segment, renamed, delayMs));
    }
  }

  /** A directory that nobody uses any more, with the files in it. */
  disposeDirectory(directory: string, delayMs: number): void {
    this.#watch(this.#removeDirectory(directory, delayMs));
  }

  /** Files that belong to nothing any more. */
  disposeFiles(paths: readonly string[]): void {
    this.#watch(this.#removeFiles(this.#renameAll(paths)));
  }

  /** Waits for what is being removed now; what still waits for its delay is left for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [timer, wake] of this.#timers) {
      timer.cancel();
      wake();
    }
    this.#timers.clear();
    // In order and one at a time: what was asked for before is done.
    await this.#unlinks.run(() => Promise.resolve());
  }

  /** The renames are synchronous (24 us each), so that a new segment may take the names. */
  #renameAll(paths: readonly string[]): string[] {
    const { fs, logger } = this.#options;
    const renamed: string[] = [];
    for (const path of paths) {
      const target = path.endsWith(DELETED_SUFFIX) ? path : `${path}${DELETED_SUFFIX}`;
      if (target === path) {
        renamed.push(path);
        continue;
      }
      try {
        fs.renameSync(path, target);
        renamed.push(target);
      } catch (error) {
        // Not every segment has all files.
        if (!isMissing(error)) logger.warn(`Could not rename ${path}`, { error });
      }
    }
    return renamed;
  }

  async #remove(segment: LogSegment, paths: string[], delayMs: number): Promise<void> {
    const unused = segment.retire(`${segment.path('log')}${DELETED_SUFFIX}`);
    await this.#delay(delayMs);
    if (this.#isClosed) {
      await segment.closeFile();
      return;
    }
    await unused;
    await segment.closeFile();
    await this.#removeFiles(paths);
    this.#options.statistics.deletedSegments += 1;
    this.#options.statistics.deletedBytes += segment.size;
  }

  async #removeFiles(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      if (this.#isClosed) return;
      await this.#unlinks.run(() => this.#options.fs.remove(path));
    }
  }

  async #removeDirectory(directory: string, delayMs: number): Promise<void> {
    await this.#delay(delayMs);
    if (this.#isClosed) return;
    const { fs } = this.#options;
    const names = await fs.list(directory);
    await this.#removeFiles(names.map((name) => `${directory}/${name}`));
    if (this.#isClosed) return;
    await this.#unlinks.run(() => fs.removeDirectory(directory));
  }

  #delay(delayMs: number): Promise<void> {
    const { fs, clock } = this.#options;
    // The budget of a memory store is wanted at once.
    if (delayMs <= 0 || !fs.persistent || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = clock.setTimer(delayMs, () => {
        this.#timers.delete(timer);
        resolve();
      });
      this.#timers.set(timer, resolve);
    });
  }

  #watch(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#options.logger.warn('Removing files failed; they go at the next start', { error });
    });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
