import type { Report } from './report.ts';

/** How a run is to be made. */
export interface BenchOptions {
  /** A short run that only shows that everything works. */
  readonly smoke: boolean;
  /** Rounds that count, beside one that does not. */
  readonly rounds: number;
  /** Whether benches of the broker profile its CPU and say where the time goes. */
  readonly profile: boolean;
  /** Where the `.cpuprofile` files are kept; without it they are removed. */
  readonly profileDirectory: string | undefined;
}

/** One numbered benchmark. */
export interface Bench {
  /** Such as `B6`. */
  readonly id: string;
  readonly title: string;
  run(options: BenchOptions): Promise<Report>;
}
