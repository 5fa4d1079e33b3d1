import type { Clock, Timer } from '@logloft/clock';

/** What gathers work in a turn of the event loop. */
export interface TurnMember {
  /** The turn is over; called once for each {@link TurnScheduler.add}. */
  endTurn(): void;
}

/** One timer for all logs: each that gathered batches in a turn writes them at its end. */
export class TurnScheduler {
  readonly #clock: Clock;
  #members: TurnMember[] = [];
  #timer: Timer | undefined;
  readonly #run = (): void => this.flush();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The member has something for the end of this turn. It must not be added twice. */
  add(member: TurnMember): void {
    this.#members.push(member);
    this.#timer ??= this.#clock.setTimer(0, this.#run);
  }

  /** The end of the turn, now. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const members = this.#members;
    if (members.length === 0) return;
    this.#members = [];
    for (const member of members) member.endTurn();
  }
}
