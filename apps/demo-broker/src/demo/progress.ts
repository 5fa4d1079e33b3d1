import type { Clock, Timer } from '@logloft/clock';
import { printByteSize } from '../command-line/byte-size.ts';
import type { PartitionTiers, TierFigures } from './tiers.ts';

/** What is shown at one moment. */
export interface ProgressView {
  /** What is going on. */
  readonly title: string;
  readonly partitions: readonly PartitionTiers[];
  /** Figures after the partitions. */
  readonly footer: string;
}

/** A terminal, or what the lines go to where there is none. */
export interface ProgressScreen {
  readonly isTerminal: boolean;
  /** Columns of the terminal. */
  readonly columns: number;
  readonly write: (text: string) => void;
}

const REDRAW_MS = 200;
const PLAIN_LINE_MS = 2_000;
const BAR_CELLS = 40;

/** Shows a view over and over: redrawn in place on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #clock: Clock;
  readonly #screen: ProgressScreen;
  readonly #view: () => ProgressView;
  #timer: Timer | undefined;
  #drawnLines = 0;
  #lastLine = '';

  constructor(options: {
    readonly clock: Clock;
    readonly screen: ProgressScreen;
    readonly view: () => ProgressView;
  }) {
    this.#clock = options.clock;
    this.#screen = options.screen;
    this.#view = options.view;
  }

  /** Begins to show. */
  start(): void {
    this.#draw();
    const interval = this.#screen.isTerminal ? REDRAW_MS : PLAIN_LINE_MS;
    this.#timer = this.#clock.setTimer(interval, () => this.start());
  }

  /** Shows it once more and leaves it standing. Idempotent. */
  stop(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#draw();
    this.#drawnLines = 0;
  }

  /** Writes a line that stays, above what is redrawn. */
  say(line: string): void {
    this.#clear();
    this.#screen.write(`${line}\n`);
    if (this.#screen.isTerminal && this.#timer !== undefined) this.#draw();
  }

  #draw(): void {
    if (this.#screen.isTerminal) this.#redraw();
    else this.#writeWhenNew(plainLine(this.#view()));
  }

  #redraw(): void {
    const lines = drawnLines(this.#view(), this.#screen.columns);
    this.#clear();
    this.#screen.write(`${lines.join('\n')}\n`);
    this.#drawnLines = lines.length;
  }

  #writeWhenNew(line: string): void {
    if (line !== this.#lastLine) this.#screen.write(`${line}\n`);
    this.#lastLine = line;
  }

  #clear(): void {
    if (this.#drawnLines > 0) this.#screen.write(`\u001B[${this.#drawnLines}A\u001B[0J`);
    this.#drawnLines = 0;
  }
}

/** The view in one line. */
export function plainLine({ title, partitions, footer }: ProgressView): string {
  const parts = partitions.map(({ partition, local, both, remote }) => {
    return `p${partition} local ${local.segments} both ${both.segments} remote ${remote.segments}`;
  });
  return `  ${title}: ${parts.join(' | ')} | ${footer}`;
}

/** The view as a picture: a bar of segments for each partition. No line is broken by the terminal. */
export function drawnLines({ title, partitions, footer }: ProgressView, columns: number): string[] {
  const most = Math.max(1, ...partitions.map(segmentsOf));
  const bars = partitions.map((partition) => {
    const { local, both, remote } = partition;
    const perCell = Math.max(1, most / BAR_CELLS);
    const cells = `${cellsFor(remote, '░', perCell)}${cellsFor(both, '▒', perCell)}${cellsFor(local, '█', perCell)}`;
    const figures = `local ${figuresText(local)}  both ${figuresText(both)}  remote ${figuresText(remote)}`;
    return `  p${partition.partition} ${cells.padEnd(BAR_CELLS)} ${figures}`;
  });
  const lines = [
    `  ${title}`,
    ...bars,
    `  ${footer}`,
    '  █ local  ▒ both  ░ remote, a cell about a segment',
  ];
  return lines.map((line) => line.slice(0, Math.max(20, columns - 1)));
}

function segmentsOf({ local, both, remote }: PartitionTiers): number {
  return local.segments + both.segments + remote.segments;
}

function cellsFor({ segments }: TierFigures, cell: string, perCell: number): string {
  // A tier with anything in it is seen.
  return segments === 0 ? '' : cell.repeat(Math.max(1, Math.round(segments / perCell)));
}

function figuresText({ segments, bytes }: TierFigures): string {
  return `${segments} (${printByteSize(bytes)})`;
}
